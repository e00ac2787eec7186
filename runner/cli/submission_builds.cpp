#include "runner/cli/submission_builds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/for_each_index.hpp"
#include "runner/submission/findings.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

void build_native(const Submission& submission, const Task& task, const TaskSize& size,
                  const Compiler& compiler, SubmissionBuild& made) {
  auto compiled = compiler.compile(submission, task_header(task, size));
  if (compiled) {
    made.library = compiled->library;
  } else {
    made.error = compiled.error();
  }
}

void make_python_ready(const Unit& unit, const Task& task, const ArgumentsByTask& arguments,
                       SubmissionBuild& made) {
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
  auto files = stage_python(*unit.submission);
  if (!files) {
    made.error = files.error();
    return;
  }
  made.staging = files->staging;
  made.library = files->folder;
  made.python =
      PythonModel{files->entry, model->second->init, task.mode, model->second->parameters};
}

SubmissionBuild build(const Unit& unit, const Plan& plan, const Compiler& compiler,
                      const ArgumentsByTask& arguments) {
  SubmissionBuild made;
  if (!unit.submission || unit.ends_as) return made;
  const Task& task = plan.tasks[unit.task];
  const TaskSize* size = task.find_size(plan.target.size);
  if (size == nullptr) return made;
  if (unit.submission->kind == SubmissionKind::kPython) {
    make_python_ready(unit, task, arguments, made);
  } else {
    build_native(*unit.submission, task, *size, compiler, made);
  }
  if (auto files = read_source_files(*unit.submission))
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
