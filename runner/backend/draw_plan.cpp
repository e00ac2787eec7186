#include "runner/backend/draw_plan.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/backend/draw_values.hpp"
#include "runner/backend/float16.hpp"

namespace kbench {

namespace {

Error bad_draw(const TensorSpec& tensor, std::string_view what) {
  return {ErrorCode::kBadInput,
          fmt::format("tensor {} ({}): {}", tensor.name, to_string(tensor.dtype), what),
          "correct the \"draw\" of this tensor in the task file"};
}

struct Range {
  double low = 0;
  double high = 0;
};

// The integers that the dtype holds exactly; for floating ones, that this generator keeps exact.
Range integer_range(DType dtype) {
  switch (dtype) {
    case DType::kBool: return {0, 1};
    case DType::kUInt8: return {0, 255};
    case DType::kInt8: return {-128, 127};
    case DType::kInt16: return {-32768, 32767};
    case DType::kInt32: return {-0x1p31, 0x1p31 - 1};
    case DType::kInt64: return {-0x1p53, 0x1p53};
    case DType::kFloat16: return {-2048, 2048};
    case DType::kBFloat16: return {-256, 256};
    case DType::kFloat32:
    case DType::kFloat64: return {-0x1p24, 0x1p24};
  }
  return {};
}

bool holds(DType dtype, double value) {
  const Range range = integer_range(dtype);
  return std::trunc(value) == value && range.low <= value && value <= range.high;
}

Status plan_uniform(const TensorSpec& tensor, const Draw& draw, DrawPlan& plan) {
  if (!is_floating(tensor.dtype)) return bad_draw(tensor, "uniform needs a floating dtype");
  plan.a = static_cast<float>(draw.a);
  const auto b = static_cast<float>(draw.b);
  plan.span = b - plan.a;
  plan.last = b > plan.a ? std::nextafter(b, plan.a) : plan.a;
  if (!(plan.a <= b) || !std::isfinite(plan.span)) {
    return bad_draw(tensor, fmt::format("uniform [{}, {}) is not a range", draw.a, draw.b));
  }
  return Done{};
}

Status plan_normal(const TensorSpec& tensor, const Draw& draw, DrawPlan& plan) {
  if (!is_floating(tensor.dtype)) return bad_draw(tensor, "normal needs a floating dtype");
  plan.a = static_cast<float>(draw.a);
  plan.span = static_cast<float>(draw.b);
  if (!std::isfinite(plan.a) || !std::isfinite(plan.span) || plan.span < 0) {
    return bad_draw(tensor, fmt::format("normal ({}, {}) is no distribution", draw.a, draw.b));
  }
  return Done{};
}

Status plan_integers(const TensorSpec& tensor, DrawPlan& plan) {
  const Draw& draw = tensor.draw;
  const auto step = static_cast<double>(draw.step);
  const double count = step > 0 ? std::ceil((draw.b - draw.a) / step) : 0;
  if (!holds(tensor.dtype, draw.a) || !holds(tensor.dtype, draw.b - 1) || !(count >= 1) ||
      count > 0x1p32) {
    return bad_draw(tensor, fmt::format("integers [{}, {}) is empty, has more than 2^32 values or "
                                        "does not fit the dtype",
                                        draw.a, draw.b));
  }
  plan.base = static_cast<std::int64_t>(draw.a);
  plan.count = static_cast<std::uint64_t>(count);
  plan.step = draw.step;
  return Done{};
}

Status plan_bernoulli(const TensorSpec& tensor, DrawPlan& plan) {
  const double probability = tensor.draw.a;
  if (!(probability >= 0 && probability <= 1)) {
    return bad_draw(tensor, fmt::format("{} is no probability", probability));
  }
  plan.count = static_cast<std::uint64_t>(std::floor(probability * 0x1p32));
  return Done{};
}

Status plan_constant(const TensorSpec& tensor, const Draw& draw, DrawPlan& plan) {
  plan.a = static_cast<float>(draw.a);
  if (is_floating(tensor.dtype)) return Done{};
  if (!holds(tensor.dtype, draw.a)) {
    return bad_draw(tensor, fmt::format("the dtype does not hold {}", draw.a));
  }
  plan.base = static_cast<std::int64_t>(draw.a);
  return Done{};
}

Status plan_matrix(const TensorSpec& tensor, double diagonal, DrawPlan& plan) {
  const auto& shape = tensor.shape;
  if (shape.size() < 2) return bad_draw(tensor, "tril and triu need two dimensions");
  if (!holds(DType::kInt64, diagonal)) return bad_draw(tensor, "the diagonal is no integer");
  plan.rows = static_cast<std::uint64_t>(shape[shape.size() - 2]);
  plan.columns = static_cast<std::uint64_t>(shape[shape.size() - 1]);
  plan.diagonal = static_cast<std::int64_t>(diagonal);
  return Done{};
}

Status plan_hard(const TensorSpec& tensor, DrawPlan& plan) {
  if (!is_floating(tensor.dtype)) return bad_draw(tensor, "a hard draw needs a floating dtype");
  plan.base = tensor.draw.a == 1 ? 1 : 0;
  return Done{};
}

Result<float> draw_factor(const TensorSpec& tensor, const Draw::Factor& factor, DrawKey key) {
  const Draw draw{factor.kind, factor.a, factor.b};
  const bool normal = factor.kind == Draw::Kind::kNormal;
  DrawPlan plan;
  const Status planned =
      normal ? plan_normal(tensor, draw, plan) : plan_uniform(tensor, draw, plan);
  if (!planned) return planned.error();
  const auto stream = PhiloxStream::of(key.key, key.tensor, PhiloxStream::kTensorFactors);
  const std::uint32_t word = stream.block(0).lane[0];
  return normal ? portable::fma(normal_value(word), plan.span, plan.a)
                : uniform_value(word, plan.a, plan.span, plan.last);
}

// The distribution once its factor has been drawn: a product with one number is of the same kind,
// so no kernel knows of factors.
Result<Draw> with_factor(const TensorSpec& tensor, DrawKey key) {
  Draw draw = tensor.draw;
  if (!draw.times) return draw;
  const auto factor = draw_factor(tensor, *draw.times, key);
  if (!factor) return factor.error();
  draw.a *= *factor;
  switch (draw.kind) {
    case Draw::Kind::kUniform:
      draw.b *= *factor;
      if (draw.a > draw.b) std::swap(draw.a, draw.b);
      return draw;
    case Draw::Kind::kNormal: draw.b *= std::abs(*factor); return draw;
    case Draw::Kind::kConstant:
      if (is_floating(tensor.dtype)) return draw;
      break;
    default: break;
  }
  return bad_draw(tensor, "only uniform, normal and constant fractions have a factor");
}

Status plan_kind(const TensorSpec& tensor, const Draw& draw, DrawPlan& plan) {
  switch (tensor.draw.kind) {
    case Draw::Kind::kUniform: return plan_uniform(tensor, draw, plan);
    case Draw::Kind::kNormal: return plan_normal(tensor, draw, plan);
    case Draw::Kind::kIntegers: return plan_integers(tensor, plan);
    case Draw::Kind::kBernoulli: return plan_bernoulli(tensor, plan);
    case Draw::Kind::kConstant: return plan_constant(tensor, draw, plan);
    case Draw::Kind::kTril:
    case Draw::Kind::kTriu: return plan_matrix(tensor, tensor.draw.a, plan);
    case Draw::Kind::kWide:
    case Draw::Kind::kSignedZeros:
    case Draw::Kind::kDenormals:
    case Draw::Kind::kSpikes: return plan_hard(tensor, plan);
    case Draw::Kind::kData: break;
  }
  return bad_draw(tensor, "stored values are not drawn");
}

template <class T>
void put(std::byte* destination, T value) {
  std::memcpy(destination, &value, sizeof value);
}

void put_as(DType dtype, double value, std::byte* to) {
  const auto rounded = static_cast<float>(value);
  const auto whole = is_floating(dtype) ? 0 : static_cast<std::int64_t>(value);
  switch (dtype) {
    case DType::kFloat64: return put(to, static_cast<double>(rounded));
    case DType::kFloat32: return put(to, rounded);
    case DType::kFloat16: return put(to, to_half(rounded));
    case DType::kBFloat16: return put(to, to_bfloat16(rounded));
    case DType::kInt64: return put(to, whole);
    case DType::kInt32: return put(to, static_cast<std::int32_t>(whole));
    case DType::kInt16: return put(to, static_cast<std::int16_t>(whole));
    case DType::kInt8: return put(to, static_cast<std::int8_t>(whole));
    case DType::kUInt8:
    case DType::kBool: return put(to, static_cast<std::uint8_t>(whole));
  }
}

}  // namespace

Result<DrawPlan> plan_draw(const TensorSpec& tensor, DrawKey key) {
  DrawPlan plan;
  plan.kind = tensor.draw.kind;
  plan.dtype = tensor.dtype;
  plan.elements = static_cast<std::uint64_t>(tensor.elements());
  plan.stream = PhiloxStream::of(key.key, key.tensor);
  const auto draw = with_factor(tensor, key);
  if (!draw) return draw.error();
  if (const Status planned = plan_kind(tensor, *draw, plan); !planned) return planned.error();
  plan.keep = tensor.draw.keep;
  if (plan.keep != Draw::Keep::kAll) {
    const auto diagonal = static_cast<double>(tensor.draw.diagonal);
    if (const Status planned = plan_matrix(tensor, diagonal, plan); !planned)
      return planned.error();
  }
  return plan;
}

Result<std::vector<std::byte>> stored_values(const TensorSpec& tensor) {
  const std::vector<double>& values = tensor.draw.data;
  if (values.size() != static_cast<std::uint64_t>(tensor.elements())) {
    return bad_draw(tensor, fmt::format("{} values are stored for {} elements", values.size(),
                                        tensor.elements()));
  }
  const std::size_t size = size_of(tensor.dtype);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_floating(tensor.dtype) && !holds(tensor.dtype, values[i])) {
      return bad_draw(tensor, fmt::format("the dtype does not hold {}", values[i]));
    }
    put_as(tensor.dtype, values[i], bytes.data() + i * size);
  }
  return bytes;
}

}  // namespace kbench
