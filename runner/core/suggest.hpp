// "did you mean": the known word nearest to one that was typed: a task's name, an option or its
// value, a column, a tag.
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
// (at least one edit). At a tie the one that begins alike wins, then the first.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

}  // namespace kbench
