#include "runner/cli/submission_builds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/for_each_index.hpp"
#include "runner/submission/findings.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

void build_native(const Submission& submission, const std::vector<SourceFile>& files,
                  const std::string& header, const Compiler& compiler, SubmissionBuild& made) {
  auto compiled = compiler.compile(submission, files, header);
  if (compiled) {
    made.library = compiled->library;
  } else {
    made.error = compiled.error();
  }
}

void make_python_ready(const PlannedRow& unit, const std::vector<SourceFile>& files,
                       const Task& task, const ArgumentsByTask& arguments, SubmissionBuild& made) {
  const auto model = arguments.find(unit.task);
  if (model == arguments.end()) {
    made.error =
        Error{ErrorCode::kInfrastructure, "nobody asked what the task's Model is made with", ""};
    return;
  }
  if (!model->second) {
    made.error = model->second.error();
    return;
  }
  auto staged = stage_python(*unit.submission, files);
  if (!staged) {
    made.error = staged.error();
    return;
  }
  made.staging = staged->staging;
  made.library = staged->folder;
  made.python =
      PythonModel{staged->entry, model->second->init, task.mode, model->second->parameters};
}

SubmissionBuild build(const PlannedRow& unit, const Plan& plan, const Compiler& compiler,
                      const ArgumentsByTask& arguments) {
  SubmissionBuild made;
  if (!unit.submission) return made;
  // Once: what is compiled or played is what is looked at, and what is kept.
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
  if (unit.submission->kind == SubmissionKind::kPython) {
    make_python_ready(unit, *files, task, arguments, made);
  } else {
    build_native(*unit.submission, *files, task_header(task, *size), compiler, made);
  }
  made.labels = fmt::format("{}", fmt::join(find_labels(*files), " "));
  return made;
}

}  // namespace

std::vector<SubmissionBuild> build_submissions(const Plan& plan, const Compiler& compiler,
                                               const ArgumentsByTask& arguments, int jobs) {
  std::vector<SubmissionBuild> builds(plan.units.size());
  for_each_index(builds.size(), jobs, [&](std::size_t i) {
    builds[i] = build(plan.units[i], plan, compiler, arguments);
  });
  return builds;
}

}  // namespace kbench
