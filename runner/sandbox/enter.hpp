// The protocol of the sandbox and kbench-enter. kbench-enter is executed with the last privileges a
// sandboxed program ever has near it, as the first process of its PID namespace where there is one:
// it confines the program (Landlock, user, capabilities, seccomp), starts it, reaps, and reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/landlock.hpp"

namespace kbench {

struct EnterPlan {
  int report_fd = -1;  // end for EnterReports, which the program does not inherit
  bool drop_to_nobody = false;
  int user = 65534;  // id of that user: a number without a name, or "nobody"
  bool system_call_filter = false;
  bool unix_sockets = false;      // cuInit makes one and fails without (304)
  bool only_own_signals = false;  // no PID namespace keeps signals inside
  int landlock_abi = 0;           // 0: none
  std::vector<PathRule> paths;
  std::string working_directory = "/";
  std::map<std::string, std::string> env;  // the program's whole environment
  std::vector<std::string> argv;           // argv[0] is an absolute path
};

// The arguments that make kbench-enter do that, its own name not included, and the way back.
[[nodiscard]] std::vector<std::string> enter_arguments(const EnterPlan& plan);
[[nodiscard]] Result<EnterPlan> parse_enter_arguments(const std::vector<std::string>& words);

enum class EnterStep : std::int32_t {
  kStarted,    // the program was executed
  kEnded,      // value is its wait status
  kArguments,  // this and the rest: it could not be started, value is errno
  kLandlock,
  kFork,
  kUser,
  kFilter,
  kFolder,
  kExecute,
};

struct EnterReport {
  EnterStep step = EnterStep::kArguments;
  std::int32_t value = 0;
};

// The step that failed, in words: "become the user nobody".
[[nodiscard]] const char* describe(EnterStep step);

}  // namespace kbench
