#include "runner/oracle/tensors.hpp"

#include <exception>

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace kbench {
namespace {

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return at::kDouble;
    case DType::kFloat32: return at::kFloat;
    case DType::kFloat16: return at::kHalf;
    case DType::kBFloat16: return at::kBFloat16;
    case DType::kInt64: return at::kLong;
    case DType::kInt32: return at::kInt;
    case DType::kInt16: return at::kShort;
    case DType::kInt8: return at::kChar;
    case DType::kUInt8: return at::kByte;
    case DType::kBool: return at::kBool;
  }
  return at::kFloat;
}

}  // namespace

Tensors tensors_at(const std::vector<TensorSpec>& specs, const Layout& layout, std::byte* base,
                   const std::string& torch_device) {
  const at::Device device(torch_device);
  Tensors tensors;
  tensors.reserve(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    tensors.push_back(
        at::from_blob(base + layout.offsets[i], specs[i].shape,
                      at::TensorOptions().dtype(scalar_type(specs[i].dtype)).device(device)));
  }
  return tensors;
}

Tensors to_double(const Tensors& tensors) {
  Tensors doubles;
  doubles.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors)
    doubles.push_back(tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor);
  return doubles;
}

Tensors to_contiguous(Tensors tensors) {
  for (at::Tensor& tensor : tensors) tensor = tensor.contiguous();
  return tensors;
}

at::Tensor as_it_lies(const at::Tensor& in_a_row, const std::vector<std::int64_t>& dimensions) {
  std::vector<std::int64_t> strides(dimensions.size());
  std::int64_t step = 1;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const auto dimension = static_cast<std::size_t>(dimensions[i]);
    strides[dimension] = step;
    step *= in_a_row.size(dimensions[i]);
  }
  return in_a_row.as_strided(in_a_row.sizes(), strides);
}

std::optional<DType> dtype_of(const at::Tensor& tensor) {
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt64,
        DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool})
    if (scalar_type(dtype) == tensor.scalar_type()) return dtype;
  return std::nullopt;
}

void warm_dispatcher() {
  const at::Tensor little = at::zeros({16});
  for (int i = 0; i < 2; ++i) (void)little.add(little).relu();
}

Error error_of_current_exception(const char* what) {
  const std::string doing(what);
  try {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    return {ErrorCode::kDoesNotFit,
            doing + " ran out of device memory: " + error.what_without_backtrace(),
            "use --size small or a device with more memory"};
  } catch (const c10::Error& error) {
    return {ErrorCode::kInfrastructure,
            doing + " failed in LibTorch: " + error.what_without_backtrace(), ""};
  } catch (const std::exception& error) {
    return {ErrorCode::kInfrastructure, doing + " failed: " + error.what(), ""};
  }
}

}  // namespace kbench
