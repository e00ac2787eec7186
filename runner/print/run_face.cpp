#include "runner/print/run_face.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/formats/console_report.hpp"
#include "reports/write/page_extras.hpp"
#include "reports/write/reporter.hpp"

namespace kbench {

Status check_shown(const std::vector<OutputRequest>& outputs, const Plan& plan) {
  std::set<int> levels;
  for (const Task& task : plan.tasks) levels.insert(task.level);
  for (const OutputRequest& output : outputs)
    if (auto fine = check_levels(*output.reporter, levels); !fine) return fine;
  return Done{};
}

RunFace::RunFace(ColorMode color, int verbosity, std::function<void(const Evaluation&)> stored)
    : progress_(color, verbosity), stored_(std::move(stored)) {}

Status RunFace::begin(const Plan& plan) {
  for (const PlannedRow& unit : plan.units)
    if (!unit.id.name.empty())
      names_.add(plan.tasks[unit.task].id, plan.target.size, unit.id.agent, unit.id.variant,
                 unit.id.name);
  return Done{};
}

void RunFace::row(const Evaluation& evaluation, std::span<const Blob> /*sources*/) {
  stored_(evaluation);
  ResultRow row = derive(evaluation);
  names_.tell_apart(row);
  const std::string line = format_row_line(row);
  if (is_failure(evaluation.state))
    progress_.item_failed(line);
  else
    progress_.item_done(line);
}

ReportingFace::ReportingFace(ColorMode color, int verbosity, RunReports reports,
                             std::function<void(const Evaluation&)> stored)
    : RunFace(color, verbosity, std::move(stored)), reports_(std::move(reports)) {}

Status ReportingFace::begin(const Plan& plan) {
  if (auto begun = RunFace::begin(plan); !begun) return begun;
  return check_shown(reports_.outputs, plan);
}

Status ReportingFace::done(const Store& store, const Run& run) {
  auto data = load_report(store, run.id, Shards::kApart);
  if (!data) return data.error();
  data->variants = reports_.variants;
  data->trust = reports_.trust;
  if (writes_page(reports_.outputs))
    if (auto added = add_page_extras(*data, store, reports_.suite); !added) return added;
  auto outputs = reports_.outputs;
  // A run that was ended before its first row leaves the page of the run before it.
  if (data->evaluations.empty())
    std::erase_if(outputs, [](const OutputRequest& output) { return writes_page({output}); });
  auto written = write_outputs(*data, outputs, reports_.style);
  if (written) return written;
  // A report that cannot be written loses no row.
  Error error = written.error();
  error.hint = fmt::format("run {} is saved in {}: `kbench report --out FORMAT=PATH` writes it",
                           short_id(run), reports_.database.string());
  return error;
}

}  // namespace kbench
