// Faults that a sanitizer names, read from what it printed: the address and undefined-behaviour
// sanitizers of a compiler, or compute-sanitizer's tools. The kernel runs in the same process and
// may print anything, so this is foreign text: cleaned and bounded, for the reader of the report
// alone. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

inline constexpr std::size_t kMostFindings = 8;  // findings of one kernel

struct SanitizerFinding {
  // "out of bounds", "use after free", "overflow", "race", "uninitialised memory", "barrier", or
  // another word of the sanitizer's own
  std::string kind;
  std::string what;             // one line
  std::vector<std::string> at;  // "relu.cpp:12 in kbench_forward", innermost first

  friend bool operator==(const SanitizerFinding&, const SanitizerFinding&) = default;
};

// Findings printed by a program that was compiled with -fsanitize=address,undefined in the folder
// of its sources: files of others have an absolute path, or one that begins with "../".
[[nodiscard]] std::vector<SanitizerFinding> address_findings(std::string_view printed);

// Findings printed by one of compute-sanitizer's tools, without its "=========".
[[nodiscard]] std::vector<SanitizerFinding> device_findings(std::string_view printed);

// A paragraph for each of them.
[[nodiscard]] std::string findings_text(const std::vector<SanitizerFinding>& findings);

}  // namespace kbench
