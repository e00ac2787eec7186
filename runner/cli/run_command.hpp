// `kbench run`: plan, build, evaluate, store, print.
#pragma once

#include <string>

#include "runner/cli/exit_codes.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// How a run came to its end.
struct RunEnd {
  ExitCode code = ExitCode::kGood;
  std::string summary;  // one line for people
};

// The run itself. Prints its reports, where it was asked for any, and progress; not how it ended.
// For `kbench run`, and for a caller that evaluates on behalf of others. Errors: nothing was
// evaluated that is not stored.
[[nodiscard]] Result<RunEnd> perform_run(const RunOptions& options,
                                         const Installation& installation);
// The same with what other runs have left to this one, which it leaves to the next.
[[nodiscard]] Result<RunEnd> perform_run(const RunOptions& options, DeviceSession& device);

// The command: returns the exit status.
int run_command(const RunOptions& options, const Installation& installation);

}  // namespace kbench
