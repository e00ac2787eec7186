// A task all of whose inputs are fixed tells no kernel from one that keeps its first output. The
// reader gives it this flaw, with this reason, whether its file says so or not.
#pragma once

#include <string_view>

namespace kbench {

inline constexpr std::string_view kFixedInputsFlaw = "previous";
inline constexpr std::string_view kFixedInputsReason =
    "all its inputs have the same values in every call";

}  // namespace kbench
