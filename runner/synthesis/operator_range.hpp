// How many operators a synthesised task may have, as a word: "3", or "2..5".
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace kbench {

inline constexpr int kMostOperators = 5;

// The fewest and the most; nothing for any other word.
[[nodiscard]] std::optional<std::pair<int, int>> parse_operator_range(std::string_view word);

}  // namespace kbench
