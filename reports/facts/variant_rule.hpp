// The rule of `--variants`, and its words: which variant of an agent counts for a task.
#pragma once

#include <string_view>

namespace kbench {

// kBest: correct variants first, then the one whose interval over eager has the highest lower end.
// That end is then corrected for the choice (rank/best_of.hpp), so that a lucky measurement of one
// of several equal kernels gains nothing. kFirst: the first by name, as if there had been no second
// try. kMean: every variant, each with an equal share.
enum class VariantRule { kBest, kFirst, kMean };

[[nodiscard]] constexpr std::string_view to_string(VariantRule rule) {
  switch (rule) {
    case VariantRule::kBest: return "best";
    case VariantRule::kFirst: return "first";
    case VariantRule::kMean: return "mean";
  }
  return "best";
}

// A sentence for the reader of a ranking.
[[nodiscard]] constexpr std::string_view words(VariantRule rule) {
  switch (rule) {
    case VariantRule::kBest:
      return "If an agent has several variants for a task, the correct one with the highest lower "
             "bound over eager counts; that bound is corrected for the choice.";
    case VariantRule::kFirst:
      return "If an agent has several variants for a task, the first by name counts, as if it were "
             "the only one.";
    case VariantRule::kMean:
      return "If an agent has several variants for a task, each counts with an equal share; the "
             "table of tasks shows the one with the highest lower bound.";
  }
  return "";
}

}  // namespace kbench
