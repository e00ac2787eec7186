// The languages of kernels, for `kbench tasks prompt`, and the devices of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

enum class PromptLanguage { kCpp, kCuda, kPython, kTriton };

[[nodiscard]] std::string_view to_string(PromptLanguage language);  // "triton"

// The kind of device that a prompt is for: as asked for ("cuda:1"), else as the language needs it,
// else nothing: what the machine has. Errors: kUsage where the language does not run there.
[[nodiscard]] Result<std::optional<std::string>> device_for(
    std::optional<PromptLanguage> language, const std::optional<std::string>& device);

// The usual language for a device of this kind ("cpu", "cuda").
[[nodiscard]] PromptLanguage usual_language(std::string_view device_kind);

}  // namespace kbench
