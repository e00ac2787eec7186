// A tensor over memory that it does not own, as a DLPack handle: what Python makes a torch.Tensor
// of without a copy, on the CPU and on CUDA alike.
#pragma once

#include <cstdint>
#include <span>

namespace kbench {

// Kinds of element as DLPack numbers them (DLDataTypeCode).
struct ElementType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
};

// A DLManagedTensor at `data`, on device 0 of CUDA or on the CPU. `strides`, in elements: empty for
// one without gaps. Its taker calls its deleter, which frees the handle and nothing else. The
// memory has to live as long as the tensor.
[[nodiscard]] void* make_tensor_handle(void* data, bool on_cuda, ElementType type,
                                       std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> strides);

}  // namespace kbench
