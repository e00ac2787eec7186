#include "runner/cli/run_checks.hpp"

#include <set>
#include <utility>

#include "reports/reporter.hpp"
#include "runner/cli/rerun_choice.hpp"
#include "runner/cli/resumed_options.hpp"
#include "runner/store/database_path.hpp"
#include "runner/store/tag.hpp"

namespace kbench {
namespace {

bool is_default_output(const OutputRequest& output) { return output.by_default; }

Status check_asked(const Reporter& reporter, const RunOptions& options) {
  if (auto fine = check_profile(reporter, options.profile); !fine) return fine;
  return check_timed(reporter, !options.checks_only);
}

Status check_plan(const RunOptions& options, const Plan& plan) {
  std::set<int> levels;
  for (const Task& task : plan.tasks) levels.insert(task.level);
  for (const OutputRequest& output : options.outputs)
    if (auto fine = check_levels(*output.reporter, levels); !fine) return fine;
  if (options.shard)
    if (auto named = check_tag_name(options.group); !named) return named;
  return Done{};
}

}  // namespace

Result<RunOptions> check_run_options(const RunOptions& given) {
  // Before anything else: a database is worth more than a report.
  if (auto sound = check_database_path(given.database); !sound) return sound.error();
  if (auto there = check_database_folder(given.database); !there) return there.error();
  const auto resumed = complete_resumed(given);
  if (!resumed) return resumed.error();
  auto options = complete_rerun(*resumed);
  if (!options) return options;
  // What was checked only has no page: none is written that nobody asked for.
  if (options->checks_only) std::erase_if(options->outputs, is_default_output);
  if (auto fine = check_outputs(options->outputs, options->database, options->file); !fine)
    return fine.error();
  for (const OutputRequest& output : options->outputs)
    if (auto fine = check_asked(*output.reporter, *options); !fine) return fine.error();
  return options;
}

Result<Plan> plan_run(const RunOptions& options, const Installation& installation) {
  auto plan = make_plan(options, installation);
  if (!plan || !plan->nothing_selected.empty()) return plan;
  if (auto kept = keep_rerun(options, *plan); !kept) return kept.error();
  if (!plan->nothing_selected.empty()) return plan;
  if (auto fine = check_plan(options, *plan); !fine) return fine.error();
  return plan;
}

}  // namespace kbench
