#include "runner/cli/run_command.hpp"

#include <unistd.h>

#include "reports/write/outputs.hpp"
#include "runner/cli/dry_run.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/reference_option.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/device/device_session.hpp"
#include "runner/run/run_session.hpp"

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

int run_command(const RunOptions& given, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, given.common.color);
  const auto options = with_reference(given, installation);
  if (!options) return fail(options.error(), terminal);
  const auto end =
      given.dry_run ? show_plan(*options, installation) : perform(*options, installation);
  if (!end) return fail(end.error(), terminal);
  return finish(end->code, end->summary, given.common.verbosity);
}

}  // namespace kbench
