#include "runner/task/task.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "runner/core/lint_record.hpp"

namespace kbench {
namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
  bool floating;
};

constexpr std::array<DTypeFacts, 10> kDTypes = {{
    {DType::kFloat64, "float64", 8, true},
    {DType::kFloat32, "float32", 4, true},
    {DType::kFloat16, "float16", 2, true},
    {DType::kBFloat16, "bfloat16", 2, true},
    {DType::kInt64, "int64", 8, false},
    {DType::kInt32, "int32", 4, false},
    {DType::kInt16, "int16", 2, false},
    {DType::kInt8, "int8", 1, false},
    {DType::kUInt8, "uint8", 1, false},
    {DType::kBool, "bool", 1, false},
}};

// The table is in the order of the enumeration; facts_of relies on it.
constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());

const DTypeFacts& facts_of(DType dtype) { return kDTypes.at(static_cast<std::size_t>(dtype)); }

constexpr std::uint64_t kAlignment = 256;

std::uint64_t align_up(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::string_view to_string(DType dtype) { return facts_of(dtype).name; }

Result<DType> dtype_from_string(std::string_view text) {
  for (const auto& facts : kDTypes) {
    if (facts.name == text) return facts.dtype;
  }
  return Error{ErrorCode::kBadInput, fmt::format("unknown dtype \"{}\"", text),
               "known are float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8 "
               "and bool"};
}

std::size_t size_of(DType dtype) { return facts_of(dtype).bytes; }

bool is_floating(DType dtype) { return facts_of(dtype).floating; }

std::int64_t TensorSpec::elements() const {
  std::int64_t product = 1;
  for (const auto extent : shape) product *= extent;
  return product;
}

std::uint64_t TensorSpec::bytes() const {
  return static_cast<std::uint64_t>(elements()) * size_of(dtype);
}

const TaskSize* Task::find_size(std::string_view size) const {
  for (const auto& candidate : sizes) {
    if (candidate.name == size) return &candidate;
  }
  return nullptr;
}

Layout pack(const std::vector<TensorSpec>& tensors) {
  constexpr std::uint64_t kRedzone = 256;
  Layout layout;
  layout.offsets.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += align_up(tensor.bytes()) + kRedzone;
  }
  return layout;
}

std::string why_unranked(const std::map<std::string, std::string>& lint_accepts) {
  for (const auto& [kind, reason] : lint_accepts) {
    if (passes_without_inputs(kind))
      return fmt::format("a submission that computes nothing passes ({}): {}", kind, reason);
  }
  return "";
}

}  // namespace kbench
