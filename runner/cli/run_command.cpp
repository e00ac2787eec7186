#include "runner/cli/run_command.hpp"

#include <unistd.h>

#include "reports/write/outputs.hpp"
#include "runner/cli/dry_run.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/device/device_session.hpp"

namespace kbench {
namespace {

Result<RunEnd> perform(const RunOptions& given, const Installation& installation) {
  const auto options = check_run_options(given);
  if (!options) return options.error();
  DeviceSession device(installation, SessionTurns::kOne);
  ReportingFace face(*options, installation.suites);
  const auto outcome = RunSession(device, *options, *options, face).run();
  if (!outcome) return outcome.error();
  return end_of_run(*outcome, *options, options->exit_zero, written_files(options->outputs));
}

}  // namespace

int run_command(const RunOptions& options, const Installation& installation) {
  const auto end =
      options.dry_run ? show_plan(options, installation) : perform(options, installation);
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  return finish(end->code, end->summary, options.common.verbosity);
}

}  // namespace kbench
