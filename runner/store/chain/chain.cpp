#include "runner/store/chain/chain.hpp"

#include <fmt/format.h>

#include "runner/core/hmac.hpp"
#include "runner/store/file/columns.hpp"

namespace kbench {

std::string_view to_string(ChainFinding::State state) {
  switch (state) {
    case ChainFinding::State::kUnchained: return "unchained";
    case ChainFinding::State::kHolds: return "holds";
    case ChainFinding::State::kChanged: return "changed";
    case ChainFinding::State::kUnchecked: return "unchecked";
  }
  return "unchecked";
}

// Each text begins with its purpose and has parts of known length, so that no two of different
// meaning are equal.
std::string first_link(const ChainKey& key, const std::string& run_id) {
  return hmac_sha256(key.secret, "kbench first link\n" + run_id);
}

std::string next_link(const ChainKey& key, const std::string& link_before,
                      const Evaluation& evaluation) {
  return hmac_sha256(key.secret,
                     "kbench link\n" + link_before + "\n" + columns::text_of(evaluation));
}

std::string seal_of(const ChainKey& key, const Run& run, std::int64_t rows,
                    const std::string& last_link) {
  return hmac_sha256(
      key.secret, fmt::format("kbench seal\n{}\n{}\n{}", rows, last_link, columns::text_of(run)));
}

}  // namespace kbench
