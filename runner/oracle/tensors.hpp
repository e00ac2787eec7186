// LibTorch's tensors over our memory, and its exceptions as errors. LibTorch stays in the .cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace at {
class Tensor;
}

namespace kbench {

using Tensors = std::vector<at::Tensor>;

// Tensors, one for each spec, where the layout puts it behind `base`, on "cpu" or "cuda:N". Nothing
// is copied or owned.
[[nodiscard]] Tensors tensors_at(const std::vector<TensorSpec>& specs, const Layout& layout,
                                 std::byte* base, const std::string& torch_device);

// The tensors, floating ones in double precision.
[[nodiscard]] Tensors to_double(const Tensors& tensors);

// Tensors in the order in which judged outputs lie in memory. A graph's outputs may be transposed;
// what is kept of them to compare with is made so once, after the clock.
[[nodiscard]] Tensors to_contiguous(Tensors tensors);

// A tensor over the same memory, whose dimensions lie in this order, the outermost first.
[[nodiscard]] at::Tensor as_it_lies(const at::Tensor& in_a_row,
                                    const std::vector<std::int64_t>& dimensions);

// The type of a tensor; empty for one that no task declares.
[[nodiscard]] std::optional<DType> dtype_of(const at::Tensor& tensor);

// CPU: brings LibTorch's own code and tables back into the caches, out of which flushing takes
// them. A program that runs on has them there, and they made a 32 MiB relu 3 % slower than an equal
// loop.
void warm_dispatcher();

// The exception that is being handled, as an error. Out of memory is told apart.
[[nodiscard]] Error error_of_current_exception(const char* what);

// LibTorch reports failure by exceptions; here they become errors.
template <class Function>
auto guarded(const char* what, Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    return error_of_current_exception(what);
  }
}

}  // namespace kbench
