#include "runner/cli/submission_builds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/for_each_index.hpp"
#include "runner/submission/findings.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

SubmissionBuild build(const PlannedRow& unit, const Plan& plan, const Compiler& compiler) {
  SubmissionBuild made;
  if (!unit.submission) return made;
  // Once: what is compiled is what is looked at, and what is kept.
  const auto files = read_source_files(*unit.submission);
  if (!files) {
    made.error = Error{ErrorCode::kSubmission, files.error().message, files.error().hint};
    return made;
  }
  if (hash_sources(*unit.submission, *files) != unit.id.source_hash) {
    made.error = Error{ErrorCode::kSubmission,
                       fmt::format("{} was changed while the run began", unit.id.name),
                       "Run it again once nobody writes to it."};
    return made;
  }
  made.sources = keep_sources(*files);
  if (unit.ends_as) return made;
  const Task& task = plan.tasks[unit.task];
  const TaskSize* size = task.find_size(plan.target.size);
  if (size == nullptr) return made;
  auto compiled = compiler.compile(*unit.submission, *files, task_header(task, *size));
  made.labels = fmt::format("{}", fmt::join(find_labels(*files), " "));
  if (compiled) {
    made.library = compiled->library;
  } else {
    made.error = compiled.error();
  }
  return made;
}

}  // namespace

std::vector<SubmissionBuild> build_submissions(const Plan& plan, const Compiler& compiler,
                                               int jobs) {
  std::vector<SubmissionBuild> builds(plan.units.size());
  for_each_index(builds.size(), jobs,
                 [&](std::size_t i) { builds[i] = build(plan.units[i], plan, compiler); });
  return builds;
}

}  // namespace kbench
