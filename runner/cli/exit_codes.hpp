// The program's exit statuses. Scripts rely on these numbers; they never change.
#pragma once

namespace kbench {

enum class ExitCode {
  kGood = 0,             // everything asked for was done, nothing failed
  kTaskFailed = 1,       // at least one submission failed
  kUsage = 2,            // the command line, or a file named on it, makes no sense
  kInfrastructure = 3,   // our own fault or the machine's
  kRegression = 4,       // a comparison found what it was told to fail on
  kNothingSelected = 5,  // no task, agent or run of that name
  kInterrupted = 130,    // Ctrl-C, after saving the evaluation at hand
};

[[nodiscard]] constexpr int to_int(ExitCode code) { return static_cast<int>(code); }

}  // namespace kbench
