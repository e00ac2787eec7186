#include "runner/cli/run_checks.hpp"

#include <utility>

#include "reports/write/reporter.hpp"
#include "runner/cli/printing.hpp"
#include "runner/run/run_session.hpp"

namespace kbench {
namespace {

Status check_asked(const Reporter& reporter, const RunRequest& request) {
  if (auto fine = check_profile(reporter, request.profile); !fine) return fine;
  return check_timed(reporter, !request.checks_only);
}

}  // namespace

Result<RunOptions> check_run_options(const RunOptions& given) {
  auto request = complete_request(given, given);
  if (!request) return request.error();
  RunOptions options = given;
  static_cast<RunRequest&>(options) = std::move(*request);
  // Rows that were checked only have no page: none is written unasked.
  if (options.checks_only)
    std::erase_if(options.outputs, [](const OutputRequest& one) { return one.by_default; });
  if (auto fine = check_outputs(options.outputs, options.database, options.file); !fine)
    return fine.error();
  for (const OutputRequest& output : options.outputs)
    if (auto fine = check_asked(*output.reporter, options); !fine) return fine.error();
  return options;
}

RunReports reports_of(const RunOptions& options, const Installation& installation) {
  return {.outputs = options.outputs,
          .variants = options.variants,
          .trust = options.common.trust,
          .style = report_style(options.common),
          .suite = options.suite.value_or(installation.suites),
          .database = options.database};
}

}  // namespace kbench
