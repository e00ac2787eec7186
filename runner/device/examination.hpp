// Whether kbench can run on this machine: its programs, LibTorch, compilers, GPUs, the sandbox, the
// cache, calibrations, what else runs. Each finding says what to do about it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

enum class Health {
  kPass,
  kCaution,  // works, with a limit that the text names
  kSkipped,  // does not apply to this machine
  kFail,     // kbench cannot run
};
[[nodiscard]] std::string_view to_string(Health health);  // "PASS", ...

struct Finding {
  std::string check;  // "python", "sandbox", ...
  Health health = Health::kPass;
  std::string text;    // the finding in words
  std::string remedy;  // the remedy in words; empty: nothing to do
};

// `suites`: the folder of the suite that is meant. Starts compilers and a sandbox, and measures
// nothing.
[[nodiscard]] std::vector<Finding> examine(const Installation& installation,
                                           const std::filesystem::path& suites);

// {schema_version, findings[]}, a finding {check, health, text, remedy}.
[[nodiscard]] Json findings_json(const std::vector<Finding>& findings);

}  // namespace kbench
