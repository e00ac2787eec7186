// Faults of a compiled library that its dynamic symbols show: read off the file, nothing of it
// runs. The loader of the worker finds the same ones, and says the same of them, but only once a
// device is there. Where the file does not settle how loading ends, it is left to that loader.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct LoadFault {
  State state = State::kLoadError;  // or kMissingSymbol
  Error error;
};

// The first symbol that is used and that nobody defines, else the missing entry point. Undefined
// symbols are told where the library takes no others than those of every C++ program.
[[nodiscard]] std::optional<LoadFault> find_load_fault(const std::filesystem::path& library);
// The same of the bytes of a library; whatever they are.
[[nodiscard]] std::optional<LoadFault> find_load_fault_in(std::string_view library);

}  // namespace kbench
