// A draw of parameters that shows biases in 16 bits. Layers draw their biases from
// +-1/sqrt(inputs), which is little beside a product of large inputs: left out, such a bias changes
// an output by little more than rounding to 16 bits does, and no comparison of outputs is sure to
// see that. Drawn from [-1, 1) it shows. Every evaluation of the classes bf16 and fp16 has one
// placement with such parameters, beside those with the task's own; other classes have none.
#pragma once

#include <cstdint>

#include "runner/task/task.hpp"

namespace kbench {

// The parameter as such a placement draws it: one in 16 bits with one long dimension at most, drawn
// around zero and nearer to it than that, is wider; all others keep their own distribution.
[[nodiscard]] TensorSpec with_large_bias(const TensorSpec& parameter);

// Whether that changes any parameter of the size.
[[nodiscard]] bool has_small_biases(const TaskSize& size);

// The key of a placement decides, as it does about all that is drawn there: its lower half is all
// ones, which chance gives one key in four billion.
[[nodiscard]] constexpr std::uint64_t key_of_large_biases(std::uint64_t key) {
  return key | 0xFFFF'FFFF;
}
[[nodiscard]] constexpr bool draws_large_biases(std::uint64_t placement_key) {
  return key_of_large_biases(placement_key) == placement_key;
}

}  // namespace kbench
