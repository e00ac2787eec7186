#include "runner/prompt/prompt_language.hpp"

#include <fmt/format.h>

namespace kbench {

std::string_view to_string(PromptLanguage language) {
  switch (language) {
    case PromptLanguage::kCpp: return "cpp";
    case PromptLanguage::kCuda: return "cuda";
    case PromptLanguage::kPython: return "python";
    case PromptLanguage::kTriton: return "triton";
  }
  return "";
}

Result<std::optional<std::string>> device_for(std::optional<PromptLanguage> language,
                                              const std::optional<std::string>& device) {
  if (!language || language == PromptLanguage::kPython) return device;
  const std::string_view needed = language == PromptLanguage::kCpp ? "cpu" : "cuda";
  if (!device) return std::optional<std::string>(needed);
  if (device->starts_with(needed)) return device;
  return Error{
      ErrorCode::kUsage,
      fmt::format("{} does not run on --device {}", to_string(*language), *device),
      fmt::format("cpp runs on the CPU, cuda and triton on CUDA, python on both; leave out "
                  "--device, or name --device {}",
                  needed)};
}

PromptLanguage usual_language(std::string_view device_kind) {
  return device_kind == "cuda" ? PromptLanguage::kCuda : PromptLanguage::kCpp;
}

}  // namespace kbench
