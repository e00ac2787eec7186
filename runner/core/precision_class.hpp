// The precision classes of a run: in which type its tasks compute, and what a product may be
// rounded to. Rows of each are ranked apart.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace kbench {

inline constexpr std::array<std::string_view, 5> kPrecisionClasses{"torch-default", "fp32", "tf32",
                                                                   "bf16", "fp16"};

[[nodiscard]] constexpr bool is_precision_class(std::string_view name) {
  return std::find(kPrecisionClasses.begin(), kPrecisionClasses.end(), name) !=
         kPrecisionClasses.end();
}

}  // namespace kbench
