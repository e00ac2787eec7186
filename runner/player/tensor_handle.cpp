#include "runner/player/tensor_handle.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include <ATen/dlpack.h>

namespace kbench {
namespace {

// The handle with what it points to.
struct OwnedHandle {
  DLManagedTensor handle{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

void free_handle(DLManagedTensor* handle) {
  const std::unique_ptr<OwnedHandle> owned(static_cast<OwnedHandle*>(handle->manager_ctx));
}

std::vector<std::int64_t> without_gaps(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

}  // namespace

void* make_tensor_handle(void* data, bool on_cuda, ElementType type,
                         std::span<const std::int64_t> shape,
                         std::span<const std::int64_t> strides) {
  auto owned = std::make_unique<OwnedHandle>();
  owned->shape.assign(shape.begin(), shape.end());
  owned->strides.assign(strides.begin(), strides.end());
  if (strides.empty()) owned->strides = without_gaps(shape);
  DLTensor& tensor = owned->handle.dl_tensor;
  tensor.data = data;
  tensor.device = {on_cuda ? kDLCUDA : kDLCPU, 0};
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = {type.code, type.bits, 1};
  tensor.shape = owned->shape.data();
  tensor.strides = owned->strides.data();
  owned->handle.manager_ctx = owned.get();
  owned->handle.deleter = free_handle;
  return &owned.release()->handle;
}

}  // namespace kbench
