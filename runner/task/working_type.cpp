#include "runner/task/working_type.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

bool tells_apart(const TensorSpec& tensor) {
  const int bits = significand_bits(tensor.dtype);
  if (tensor.draw.kind != Draw::Kind::kIntegers || bits == 0 || bits >= 24) return true;
  const double most = static_cast<double>(1 << bits);
  return tensor.draw.a >= -most && tensor.draw.b - 1 <= most;
}

bool has(const TaskSize& size, DType dtype) {
  const auto is_it = [dtype](const TensorSpec& tensor) { return tensor.dtype == dtype; };
  return std::any_of(size.inputs.begin(), size.inputs.end(), is_it) ||
         std::any_of(size.parameters.begin(), size.parameters.end(), is_it) ||
         std::any_of(size.outputs.begin(), size.outputs.end(), is_it);
}

}  // namespace

DType working_type(std::string_view precision) {
  if (precision == "bf16") return DType::kBFloat16;
  if (precision == "fp16") return DType::kFloat16;
  return DType::kFloat32;
}

int significand_bits(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return 53;
    case DType::kFloat32: return 24;
    case DType::kFloat16: return 11;
    case DType::kBFloat16: return 8;
    default: return 0;
  }
}

std::string why_not_in_half(const TaskSize& size) {
  for (const auto* tensors : {&size.inputs, &size.parameters})
    for (const TensorSpec& tensor : *tensors)
      if (!tells_apart(tensor))
        return fmt::format("{} holds integers of [{}, {}), and {} does not tell them apart",
                           tensor.name, tensor.draw.a, tensor.draw.b, to_string(tensor.dtype));
  for (const TensorSpec& output : size.outputs)
    if (output.dtype == DType::kInt64 || output.dtype == DType::kInt32)
      return fmt::format("{} holds indices, and values of 16 bits tie, with several right answers",
                         output.name);
  return "";
}

std::string_view half_class_of(const TaskSize& size) {
  if (has(size, DType::kFloat32)) return "";
  if (has(size, DType::kBFloat16)) return "bf16";
  return has(size, DType::kFloat16) ? "fp16" : "";
}

}  // namespace kbench
