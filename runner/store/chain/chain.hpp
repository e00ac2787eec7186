// The chain of a run's rows. Each row carries a link, the HMAC of the link before it and of
// everything that is stored of the row; the run carries a seal over its own columns, the number of
// its rows and the last link. A row that is changed, moved, added or removed breaks a link or the
// seal, and only the holder of the key can make either. What the chain cannot tell is an older copy
// of the whole file from the newest one. Pure functions.
//
// A column that is added later enters the text of a row only where it is not at its default, so
// that rows from before keep their links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/core/evaluation.hpp"
#include "runner/store/chain/chain_key.hpp"

namespace kbench {

// The state of a run's chain.
struct ChainFinding {
  enum class State {
    kUnchained,  // stored without a chain: cannot be checked
    kHolds,      // rows are as they were stored
    kChanged,
    kUnchecked,  // chained with a key that is not here
  };
  State state = State::kUnchained;
  std::string message;  // meaning of the state for this run, one sentence
};

[[nodiscard]] std::string_view to_string(ChainFinding::State state);  // "unchained", ...

// The link before the first row's.
[[nodiscard]] std::string first_link(const ChainKey& key, const std::string& run_id);
[[nodiscard]] std::string next_link(const ChainKey& key, const std::string& link_before,
                                    const Evaluation& evaluation);
[[nodiscard]] std::string seal_of(const ChainKey& key, const Run& run, std::int64_t rows,
                                  const std::string& last_link);

}  // namespace kbench
