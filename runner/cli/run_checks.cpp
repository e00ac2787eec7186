#include "runner/cli/run_checks.hpp"

#include <set>
#include <utility>

#include "reports/write/reporter.hpp"
#include "runner/run/run_session.hpp"

namespace kbench {
namespace {

bool is_default_output(const OutputRequest& output) { return output.by_default; }

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
  // What was checked only has no page: none is written that nobody asked for.
  if (options.checks_only) std::erase_if(options.outputs, is_default_output);
  if (auto fine = check_outputs(options.outputs, options.database, options.file); !fine)
    return fine.error();
  for (const OutputRequest& output : options.outputs)
    if (auto fine = check_asked(*output.reporter, options); !fine) return fine.error();
  return options;
}

Status check_shown(const std::vector<OutputRequest>& outputs, const Plan& plan) {
  std::set<int> levels;
  for (const Task& task : plan.tasks) levels.insert(task.level);
  for (const OutputRequest& output : outputs)
    if (auto fine = check_levels(*output.reporter, levels); !fine) return fine;
  return Done{};
}

}  // namespace kbench
