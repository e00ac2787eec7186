// Kinds of a task's operators, for choosing among tasks: "convolution", "activation". Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Every family, in the order in which readers choose: matmul, convolution, attention, recurrent,
// normalization, activation, pooling, reduction, scan, loss, elementwise.
[[nodiscard]] std::span<const std::string_view> all_families();

// The families of a task, in that order. Most come from its operators ("aten::conv2d"). Its name
// ("relu", "019_relu" or a whole id) says what they are composed to, such as a loss of a
// difference, a square and a mean. Without operators, as for a task whose file is gone, the name
// alone counts. A task of operators without any family is elementwise.
[[nodiscard]] std::vector<std::string> families_of(std::string_view name,
                                                   std::span<const std::string> operators);

}  // namespace kbench
