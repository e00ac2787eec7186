// Hard draws: what each puts in the place of an input's own distribution, and which tasks it fits.
// Whether it fits is a rule on the graph's operators and the inputs (a logarithm takes no zeros),
// or said by the task itself (HARD_DRAWS_SKIP in its .py). Shown by `kbench tasks show`.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace kbench {

inline constexpr std::array kHardDraws = {HardDraw::kWide, HardDraw::kBits, HardDraw::kSignedZeros,
                                          HardDraw::kDenormals, HardDraw::kSpikes};

[[nodiscard]] std::string_view to_string(HardDraw draw);  // "wide", ...
[[nodiscard]] Result<HardDraw> hard_draw_from_string(std::string_view text);
// Words for a sentence about inputs: "exact zeros and ones".
[[nodiscard]] std::string_view describe(HardDraw draw);

// The input as this draw wants it: a floating one that is drawn uniformly or normally changes its
// distribution, and stays non-negative where it was; all others keep their own.
[[nodiscard]] TensorSpec hardened(const TensorSpec& input, HardDraw draw);

// One rule for each hard draw, in order. `operators` are those of the graph ("aten::log"), `skips`
// what the task itself says.
[[nodiscard]] std::vector<HardDrawRule> hard_draw_rules(
    const TaskSize& size, const std::set<std::string>& operators,
    const std::map<std::string, std::string>& skips);

}  // namespace kbench
