#include "baselines/trusting_operators.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace kbench {
namespace {

// (v, g, dim): the norms are written to memory of g's size, one for each of v's slices.
void check_weight_norm(const std::vector<c10::IValue>& operands) {
  const at::Tensor& v = operands[0].toTensor();
  const at::Tensor& g = operands[1].toTensor();
  const std::int64_t dim = operands[2].toInt();
  TORCH_CHECK(v.dim() > 0 && dim >= -1 && dim < v.dim(), "there is no dimension ", dim);
  const std::int64_t slices = dim == -1 ? 1 : v.size(dim);
  TORCH_CHECK(g.numel() == slices && g.scalar_type() == v.scalar_type(), "it takes ", slices,
              " magnitudes of the direction's type, one for each slice");
}

}  // namespace

OperandCheck operand_check_of(const std::string& name) {
  if (name == "aten::_weight_norm" || name == "aten::_weight_norm_interface")
    return check_weight_norm;
  return nullptr;
}

}  // namespace kbench
