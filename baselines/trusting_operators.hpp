// Operators of the list whose kernels believe what a caller says of shapes, and read or write
// beyond their memory where it is wrong. Found by tests/fuzz/graph_soak. LibTorch itself calls them
// from functions that look first; a task's graph may call them itself.
#pragma once

#include <string>
#include <vector>

namespace c10 {
struct IValue;
}

namespace kbench {

// Looks at the operands of one call, by position in the operator's schema; throws c10::Error.
using OperandCheck = void (*)(const std::vector<c10::IValue>& operands);

// Null for an operator that looks itself. `name` without its overload: "aten::_weight_norm".
[[nodiscard]] OperandCheck operand_check_of(const std::string& name);

}  // namespace kbench
