#include "runner/cli/run_face.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/model.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/write/page_extras.hpp"
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
  // What was checked only has no page: none is written that nobody asked for.
  if (options.checks_only)
    std::erase_if(options.outputs, [](const OutputRequest& one) { return one.by_default; });
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

RunFace::RunFace(const CommonOptions& common, std::function<void(const Evaluation&)> stored)
    : progress_(common.color, common.verbosity), stored_(std::move(stored)) {}

void RunFace::row(const Evaluation& evaluation, std::span<const Blob> /*sources*/) {
  stored_(evaluation);
  progress_.item_done(format_row_line(derive(evaluation)));
}

ReportingFace::ReportingFace(const RunOptions& options, std::filesystem::path suites,
                             std::function<void(const Evaluation&)> stored)
    : RunFace(options.common, std::move(stored)), options_(options), suites_(std::move(suites)) {}

Status ReportingFace::begin(const Plan& plan) { return check_shown(options_.outputs, plan); }

Status ReportingFace::done(const Store& store, const Run& run) {
  auto data = load_report(store, run.id, Shards::kApart);
  if (!data) return data.error();
  data->variants = options_.variants;
  data->trust = options_.common.trust;
  if (writes_page(options_.outputs)) {
    auto added = add_page_extras(*data, store, options_.suite.value_or(suites_));
    if (!added) return added;
  }
  auto written = write_outputs(*data, options_.outputs, report_style(options_.common));
  if (written) return written;
  // What could not be reported is not lost.
  Error error = written.error();
  error.hint = fmt::format("run {} is saved in {}: `kbench report --out FORMAT=PATH` writes it",
                           short_id(run), options_.database.string());
  return error;
}

CommonOptions with_verbosity(CommonOptions common, int verbosity) {
  common.verbosity = verbosity;
  return common;
}

CommonOptions within_command(CommonOptions common) {
  if (common.verbosity == 0) common.verbosity = -1;
  return common;
}

}  // namespace kbench
