// A component that is a user's command: it gets a state as JSON on its standard input and says what
// it has to say on its standard output. It runs in the sandbox, without network and without files
// but the system's and its own program; a failure costs its report only.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/feedback/component.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

inline constexpr std::size_t kMostSpoken = 64u << 10;  // bytes of a report
// Status where a tool of this machine is missing, and nothing was looked at.
inline constexpr const char* kToolMissing = "not there";

struct CommandReport {
  std::string status;     // "answered", or why it did not: "timeout", "exit 2", "signal 9"
  std::string text;       // never empty: what it said, or a sentence on what became of it
  bool is_clean = false;  // a debugger read all, found nothing, and both calls returned 0
};

// Runs the component's command once. Errors: kInfrastructure, the sandbox cannot be had.
[[nodiscard]] Result<CommandReport> command_report(
    Sandbox& sandbox, const Component& component, const Json& state,
    std::chrono::milliseconds patience = std::chrono::seconds{60});

}  // namespace kbench
