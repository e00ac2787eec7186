#include "runner/task/draw_reader.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kMaxData = 512;
constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxLevels = 12;
constexpr std::size_t kMaxBlocks = 1u << 16;     // blocks of one level
constexpr std::int64_t kMaxWorkedOut = 1 << 22;  // elements: 32 MiB in memory
constexpr std::int64_t kMaxDiagonal = std::int64_t{1} << 40;
constexpr std::int64_t kExact = std::int64_t{1} << 53;  // doubles hold integers up to here

// Smallest and largest value that an integer dtype holds; exact as doubles but for 2^63, which is
// excluded because the upper end is.
struct Range {
  double low;
  double end;  // one past the largest
};

Range range_of(DType dtype) {
  switch (dtype) {
    case DType::kInt64: return {-0x1p63, 0x1p63};
    case DType::kInt32: return {-0x1p31, 0x1p31};
    case DType::kInt16: return {-0x1p15, 0x1p15};
    case DType::kInt8: return {-0x1p7, 0x1p7};
    case DType::kUInt8: return {0, 0x1p8};
    case DType::kBool: return {0, 2};
    case DType::kFloat64:
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kBFloat16: break;
  }
  const auto infinity = std::numeric_limits<double>::infinity();
  return {-infinity, infinity};
}

void check_value(const JsonField& field, DType dtype, double value) {
  const auto range = range_of(dtype);
  const bool infinite = is_floating(dtype) && !std::isfinite(value);
  if (!infinite && (value < range.low || value >= range.end)) {
    field.complain(fmt::format("{} does not fit {}", value, to_string(dtype)));
  } else if (!is_floating(dtype) && value != std::floor(value)) {
    field.complain(fmt::format("{} is no integer, the tensor is {}", value, to_string(dtype)));
  }
}

// A value of the tensor: a number, or one that JSON has no number for.
double read_value(const JsonField& field, DType dtype) {
  if (!field.json().is_object()) {
    const double value = field.number();
    check_value(field, dtype, value);
    return value;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto name = field.member("float").text(kMaxName);
  if (!is_floating(dtype)) {
    field.complain(fmt::format("the tensor is {}", to_string(dtype)));
  } else if (name == "inf") {
    return kInfinity;
  } else if (name == "-inf") {
    return -kInfinity;
  } else if (name != "nan") {
    field.complain(fmt::format("\"{}\" is none of inf, -inf, nan", name));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::optional<Draw::Kind> draw_kind(std::string_view text) {
  using Kind = Draw::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 10> kKinds = {{
      {"uniform", Kind::kUniform},
      {"normal", Kind::kNormal},
      {"integers", Kind::kIntegers},
      {"bernoulli", Kind::kBernoulli},
      {"constant", Kind::kConstant},
      {"tril", Kind::kTril},
      {"triu", Kind::kTriu},
      {"data", Kind::kData},
      {"affine", Kind::kData},
      {"blocks", Kind::kData},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return kind;
  }
  return std::nullopt;
}

void read_continuous(const JsonField& field, const TensorSpec& tensor, Draw& draw) {
  draw.a = field.member("a").number();
  draw.b = field.member("b").number();
  if (!is_floating(tensor.dtype)) {
    field.complain(fmt::format("draws fractions, the tensor is {}", to_string(tensor.dtype)));
  } else if (draw.kind == Draw::Kind::kUniform && !(draw.a <= draw.b)) {
    field.complain(fmt::format("the interval [{}, {}) is empty", draw.a, draw.b));
  } else if (draw.kind == Draw::Kind::kNormal && draw.b < 0) {
    field.complain(fmt::format("the standard deviation {} is negative", draw.b));
  }
}

void read_integers(const JsonField& field, const TensorSpec& tensor, Draw& draw) {
  const auto low = field.member("a").integer(-kExact, kExact);
  const auto end = field.member("b").integer(-kExact, kExact);
  if (low >= end) field.complain(fmt::format("no integer x has {} <= x < {}", low, end));
  draw.a = static_cast<double>(low);
  draw.b = static_cast<double>(end);
  check_value(field.member("a"), tensor.dtype, draw.a);
  check_value(field.member("b"), tensor.dtype, draw.b - 1);
  if (field.json().contains("step")) draw.step = field.member("step").integer(1, kExact);
}

std::vector<double> read_values(const JsonField& values, DType dtype) {
  std::vector<double> result(values.array_size(kMaxData));
  for (std::size_t i = 0; i < result.size() && values.healthy(); ++i) {
    result[i] = read_value(values.item(i), dtype);
  }
  return result;
}

// Whether so many values may be worked out in memory; complains where they may not.
bool may_work_out(const JsonField& field, std::int64_t elements) {
  if (elements > kMaxWorkedOut) {
    field.complain(fmt::format("{} values, more than the limit of {}", elements, kMaxWorkedOut));
  }
  return field.healthy();
}

// Value i is a + sum of steps[k] * digit k, i written as a number of mixed radix `extents`.
std::vector<double> read_affine(const JsonField& field, std::int64_t elements) {
  const auto start = field.member("a").integer(-kExact, kExact);
  const auto extents = field.member("extents");
  const auto steps = field.member("steps");
  const auto levels = extents.array_size(kMaxLevels);
  if (steps.array_size(kMaxLevels) != levels) steps.complain("as many as extents are needed");
  std::vector<double> values{static_cast<double>(start)};
  // Goes from the innermost digit outwards: the values so far once for each value of the next
  // digit.
  for (std::size_t k = levels; k-- > 0 && field.healthy();) {
    const auto extent = extents.item(k).integer(1, elements);
    const auto step = static_cast<double>(steps.item(k).integer(-kMaxDiagonal, kMaxDiagonal));
    const auto inner = static_cast<std::int64_t>(values.size());
    if (!field.healthy() || !may_work_out(extents.item(k), extent * inner)) break;
    values.resize(static_cast<std::size_t>(extent * inner));
    for (std::int64_t i = inner; i < extent * inner; ++i) {
      values[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(i - inner)] + step;
    }
  }
  return values;
}

// Blocks that repeat: each level cuts the values so far into blocks of `length` and lines up the
// blocks that `order` names.
std::vector<double> read_blocks(const JsonField& field, DType dtype) {
  std::vector<double> values = read_values(field.member("data"), dtype);
  const auto levels = field.member("levels");
  const auto count = levels.array_size(kMaxLevels);
  for (std::size_t k = 0; k < count && field.healthy(); ++k) {
    const auto length = levels.item(k).member("length").integer(1, kMaxWorkedOut);
    const auto order = levels.item(k).member("order");
    const auto blocks = order.array_size(kMaxBlocks);
    const auto known = static_cast<std::int64_t>(values.size()) / length;
    if (!field.healthy() || !may_work_out(order, static_cast<std::int64_t>(blocks) * length)) {
      break;
    }
    std::vector<double> next;
    next.reserve(blocks * static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < blocks && field.healthy(); ++i) {
      const auto block = order.item(i).integer(0, known - 1);
      if (!field.healthy()) break;
      next.insert(next.end(), values.begin() + block * length,
                  values.begin() + (block + 1) * length);
    }
    values = std::move(next);
  }
  return values;
}

void read_data(const JsonField& field, std::string_view kind, const TensorSpec& tensor,
               Draw& draw) {
  const auto elements = tensor.elements();
  if (kind == "data") {
    draw.data = read_values(field.member("data"), tensor.dtype);
  } else if (kind == "affine") {
    if (!may_work_out(field, elements)) return;
    draw.data = read_affine(field, elements);
  } else {
    draw.data = read_blocks(field, tensor.dtype);
  }
  if (!field.healthy()) return;
  const auto values = kind == "data" ? field.member("data") : field;
  if (static_cast<std::int64_t>(draw.data.size()) != elements) {
    values.complain(fmt::format("{} values for {} elements", draw.data.size(), elements));
    return;
  }
  for (const double value : draw.data) {
    if (field.healthy()) check_value(values, tensor.dtype, value);
  }
}

// Ones on one side of diagonal a, or another value, which makes them data.
void read_triangle(const JsonField& field, const TensorSpec& tensor, Draw& draw) {
  if (tensor.shape.size() < 2) field.complain("needs a tensor of at least two dimensions");
  const auto diagonal = field.member("a").integer(-kMaxDiagonal, kMaxDiagonal);
  draw.a = static_cast<double>(diagonal);
  if (!field.healthy() || !field.json().contains("value")) return;
  const double value = read_value(field.member("value"), tensor.dtype);
  if (!may_work_out(field, tensor.elements())) return;
  const auto rows = tensor.shape[tensor.shape.size() - 2];
  const auto columns = tensor.shape.back();
  draw.data.resize(static_cast<std::size_t>(tensor.elements()));
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const auto above = i % columns - (i / columns) % rows;  // 0 on the main diagonal
    const bool inside = draw.kind == Draw::Kind::kTril ? above <= diagonal : above >= diagonal;
    draw.data[static_cast<std::size_t>(i)] = inside ? value : 0;
  }
  draw.kind = Draw::Kind::kData;
  draw.a = 0;
}

// Half of a random tensor: zeros on the other side of a diagonal.
void read_keep(const JsonField& field, const TensorSpec& tensor, Draw& draw) {
  const auto side = field.member("keep");
  const auto word = side.text(kMaxName);
  if (word != "tril" && word != "triu") side.complain("expected tril or triu");
  if (tensor.shape.size() < 2) side.complain("needs a tensor of at least two dimensions");
  const bool random = draw.kind == Draw::Kind::kUniform || draw.kind == Draw::Kind::kNormal ||
                      draw.kind == Draw::Kind::kIntegers || draw.kind == Draw::Kind::kBernoulli;
  if (!random) side.complain("only random values can be cut");
  draw.keep = word == "tril" ? Draw::Keep::kLower : Draw::Keep::kUpper;
  draw.diagonal = field.member("diagonal").integer(-kMaxDiagonal, kMaxDiagonal);
}

// A number by which all values are multiplied, itself drawn.
void read_times(const JsonField& field, const TensorSpec& tensor, Draw& draw) {
  const auto times = field.member("times");
  const bool scalable = draw.kind == Draw::Kind::kUniform || draw.kind == Draw::Kind::kNormal ||
                        (draw.kind == Draw::Kind::kConstant && is_floating(tensor.dtype));
  if (!scalable) times.complain("only uniform, normal and constant fractions have a factor");
  const auto kind_field = times.member("kind");
  const auto kind = draw_kind(kind_field.text(kMaxName));
  if (kind != Draw::Kind::kUniform && kind != Draw::Kind::kNormal) {
    kind_field.complain("expected uniform or normal");
    return;
  }
  Draw factor{*kind};
  read_continuous(times, tensor, factor);
  draw.times = Draw::Factor{factor.kind, factor.a, factor.b};
}

Draw read_kind(const JsonField& field, const TensorSpec& tensor) {
  Draw draw;
  const auto kind_field = field.member("kind");
  const auto word = kind_field.text(kMaxName);
  const auto kind = draw_kind(word);
  if (!kind) {
    kind_field.complain(fmt::format("unknown kind {}", kind_field.json().dump()));
    return draw;
  }
  draw.kind = *kind;
  switch (draw.kind) {
    case Draw::Kind::kUniform:
    case Draw::Kind::kNormal: read_continuous(field, tensor, draw); break;
    case Draw::Kind::kIntegers: read_integers(field, tensor, draw); break;
    case Draw::Kind::kBernoulli:
      draw.a = field.member("a").number();
      if (draw.a < 0 || draw.a > 1) field.member("a").complain("not a probability");
      break;
    case Draw::Kind::kTril:
    case Draw::Kind::kTriu: read_triangle(field, tensor, draw); break;
    case Draw::Kind::kConstant: draw.a = read_value(field.member("a"), tensor.dtype); break;
    case Draw::Kind::kData: read_data(field, word, tensor, draw); break;
    case Draw::Kind::kWide:
    case Draw::Kind::kSignedZeros:
    case Draw::Kind::kDenormals:
    case Draw::Kind::kSpikes: break;  // no word of a task file stands for them
  }
  return draw;
}

}  // namespace

Draw read_draw(const JsonField& field, const TensorSpec& tensor) {
  Draw draw = read_kind(field, tensor);
  if (field.healthy() && field.json().contains("keep")) read_keep(field, tensor, draw);
  if (field.healthy() && field.json().contains("times")) read_times(field, tensor, draw);
  return draw;
}

}  // namespace kbench
