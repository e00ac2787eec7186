// Which LibTorch an installed kbench uses. In a checkout the oracle has it in its run path; what
// was installed is told at each start. Only for commands that need LibTorch: asking a Python where
// its torch lies takes 20 ms.
//
// Looked at in this order, and the first one of the right version is taken:
//   KBENCH_TORCH          a Python, or an unpacked libtorch; where it is set, nothing else counts
//   KBENCH_WHEEL_PYTHON   the Python in whose environment the wheel lies (set by its module)
//   python3 on the PATH
//   share/kbench/torch    a virtual environment, or an unpacked libtorch
//
// LibTorch's C++ interface holds within a minor version: built with 2.11.0, an oracle runs with any
// 2.11 and with nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// The folder of a Python's module torch. Errors: kInfrastructure, "PYTHON has no torch". Replaced
// by tests.
using AskForTorch = std::function<Result<std::filesystem::path>(const std::filesystem::path&)>;
[[nodiscard]] Result<std::filesystem::path> ask_for_torch(const std::filesystem::path& python);

// The same installation with its Python and LibTorch; a checkout comes back as it is. Errors:
// kInfrastructure, which names each place, what is there, and both versions.
[[nodiscard]] Result<Installation> with_torch(Installation installation,
                                              const Environment& environment,
                                              const AskForTorch& ask);

// "2.11" of "2.11.0" or "2.11.1+cpu"; the text itself where it has no such form.
[[nodiscard]] std::string_view minor_version(std::string_view version);

}  // namespace kbench
