// A task in another floating type. A run of the precision class bf16 or fp16 has every float32
// tensor of its tasks in that type: inputs, parameters, buffers, outputs, and what the graph makes
// itself. float64 tensors and integers stay. The other classes leave a task as its file says.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The type in the place of float32: kBFloat16 of "bf16", kFloat16 of "fp16", kFloat32 of any other.
[[nodiscard]] DType working_type(std::string_view precision);

// Bits of the significand, the hidden one included: 24 of float32, 11 of float16, 8 of bfloat16. 0:
// no floating type.
[[nodiscard]] int significand_bits(DType dtype);

// `dtype` where float32 is `type`.
[[nodiscard]] constexpr DType with_type(DType dtype, DType type) {
  return dtype == DType::kFloat32 ? type : dtype;
}

// load_task() with `type` in the place of float32; the hash is still that of the file.
[[nodiscard]] Result<Task> load_task_in(DType type, const std::filesystem::path& json_file);

// Why the size makes no sense in the 16-bit type that it has: it draws integers that the type does
// not tell apart, or asks for indices, which are many where values tie. Empty: it does.
[[nodiscard]] std::string why_not_in_half(const TaskSize& size);

// "bf16" or "fp16" where tensors of the size are in that type and none is float32; else empty.
[[nodiscard]] std::string_view half_class_of(const TaskSize& size);

}  // namespace kbench
