#include "baselines/vendor/cudnn_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kbench {
namespace {

// "Warning: CUDNN_STATUS_NOT_SUPPORTED_LAYOUT; Reason: words at: expression"
struct Check {
  std::string_view status;
  std::string_view words;
  bool is_sentence = false;  // else the failed expression itself
};

Check check_in(std::string_view line) {
  constexpr std::string_view kStatus = "CUDNN_STATUS_", kReason = "; Reason: ", kAt = " at: ";
  const std::size_t status = line.find(kStatus);
  const std::size_t reason = line.find(kReason);
  if (status == std::string_view::npos || reason == std::string_view::npos || reason < status)
    return {};
  const std::string_view words = line.substr(reason + kReason.size());
  const std::size_t at = words.find(kAt);
  return {line.substr(status, reason - status), words.substr(0, at), at != std::string_view::npos};
}

// 0 tells most; what is not below kRanks tells nothing.
constexpr std::size_t kRanks = 4;

std::size_t rank_of(const Check& check) {
  if (check.status.ends_with("_RUNTIME_PREREQUISITE_MISSING")) return 0;
  if (check.status.empty() || check.status.ends_with("_ARCH_MISMATCH")) return kRanks;
  if (!check.status.starts_with("CUDNN_STATUS_NOT_SUPPORTED_")) return 3;
  return check.is_sentence ? 1 : 2;
}

}  // namespace

std::string telling_line(std::string_view text) {
  std::array<Check, kRanks> first;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Check check = check_in(text.substr(0, end));
    const std::size_t rank = rank_of(check);
    if (rank < kRanks && first.at(rank).status.empty()) first.at(rank) = check;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const Check& check : first)
    if (!check.status.empty()) return std::string(check.status) + ", " + std::string(check.words);
  return "";
}

}  // namespace kbench
