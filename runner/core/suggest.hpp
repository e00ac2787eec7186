// "Did you mean": the known word nearest to one that was typed. Used for task names, options and
// their values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other
// (optimal string alignment), letters of either case being equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, or nothing when all are further away than a third of the word's length
// (at least one edit). The first wins a tie.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

}  // namespace kbench
