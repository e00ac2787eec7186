#include "runner/task/large_biases.hpp"

#include <algorithm>
#include <cmath>

#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

const Draw& large() {
  static const Draw kLarge{.kind = Draw::Kind::kUniform, .a = -1, .b = 1};
  return kLarge;
}

bool is_small_bias(const TensorSpec& parameter) {
  const int bits = significand_bits(parameter.dtype);
  if (bits == 0 || bits >= significand_bits(DType::kFloat32)) return false;
  const auto long_dimensions = std::count_if(parameter.shape.begin(), parameter.shape.end(),
                                             [](std::int64_t extent) { return extent > 1; });
  const Draw& draw = parameter.draw;
  if (long_dimensions > 1 || draw.times) return false;
  if (draw.kind == Draw::Kind::kUniform) return draw.a == -draw.b && draw.b < large().b;
  const double deviation = large().b / std::sqrt(3);
  return draw.kind == Draw::Kind::kNormal && draw.a == 0 && draw.b < deviation;
}

}  // namespace

TensorSpec with_large_bias(const TensorSpec& parameter) {
  TensorSpec drawn = parameter;
  if (is_small_bias(parameter)) drawn.draw = large();
  return drawn;
}

bool has_small_biases(const TaskSize& size) {
  return std::any_of(size.parameters.begin(), size.parameters.end(), is_small_bias);
}

}  // namespace kbench
