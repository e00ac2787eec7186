#include "runner/run/submission_builds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/for_each_index.hpp"
#include "runner/submission/findings.hpp"
#include "runner/submission/load_fault.hpp"
#include "runner/task/task_header.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

void build_native(const Submission& submission, const std::vector<SourceFile>& files,
                  const std::string& header, const Compiler& compiler, SubmissionBuild& made) {
  auto compiled = compiler.compile(submission, files, header);
  if (!compiled) {
    made.error = compiled.error();
    return;
  }
  made.seconds = compiled->seconds;
  made.from_cache = compiled->from_cache;
  made.words = compiled->warnings;
  // A worker would find the same, once a device is there.
  if (auto fault = find_load_fault(compiled->library)) {
    made.error = std::move(fault->error);
    made.failed_as = fault->state;
    return;
  }
  made.library = compiled->library;
}

// Shapes of the tensors that the build step may call forward with; no values.
Json shapes_of(const std::vector<TensorSpec>& tensors) {
  Json list = Json::array();
  for (const TensorSpec& tensor : tensors)
    list.push_back({{"dtype", to_string(tensor.dtype)}, {"shape", tensor.shape}});
  return list;
}

// Runs the build step, which has torch or Triton compile what the submission asks for.
Status run_build_step(const PlannedRow& unit, const std::vector<SourceFile>& files,
                      const TaskSize& size, const PythonBuilder* builder, SubmissionBuild& made) {
  if (!unit.submission->is_built_as_python()) return Done{};
  if (builder == nullptr)
    return Error{ErrorCode::kInfrastructure, "nobody builds Python submissions in this run", ""};
  auto built = builder->build({.submission = *unit.submission,
                               .files = files,
                               .staging = *made.staging,
                               .entry = made.python->entry,
                               .init = made.python->init,
                               .mode = made.python->mode,
                               .inputs = shapes_of(size.inputs),
                               .real = std::string(to_string(working_type(half_class_of(size))))});
  if (!built) return built.error();
  if (built->seconds > 0) made.seconds = built->seconds;
  made.from_cache = built->from_cache;
  made.python->built = std::move(*built);
  return Done{};
}

void make_python_ready(const PlannedRow& unit, const std::vector<SourceFile>& files,
                       const Task& task, const Plan& plan, const ArgumentsByTask& arguments,
                       const PythonBuilder* builder, SubmissionBuild& made) {
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
  made.python = PythonModel{.entry = staged->entry,
                            .init = model->second->init,
                            .mode = task.mode,
                            .state = model->second->state,
                            .kernelbench = model->second->kernelbench};
  made.reference = model->second->reference;
  made.draws_alike = model->second->draws_alike;
  const TaskSize& size = *task.find_size(plan.target.size);
  if (auto done = run_build_step(unit, files, size, builder, made); !done)
    made.error = done.error();
}

// Labels of the submission's files, and of the texts that were compiled besides.
std::string labels_of(const std::vector<SourceFile>& files, const SubmissionBuild& made) {
  std::vector<std::string> labels = made.python ? find_extension_labels(files) : find_labels(files);
  const auto add = [&](const std::string& label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  };
  if (made.python && made.python->built) {
    for (const std::string& label : find_extension_labels(made.python->built->texts)) add(label);
    if (made.python->built->vendor_library) add("vendor_library");
    if (!made.python->built->first_failure().empty()) add("fallback");
    if (made.python->built->torch_compiled) add("torch_compile");
  }
  return fmt::format("{}", fmt::join(labels, " "));
}

SubmissionBuild build(const PlannedRow& unit, const Plan& plan, const Builders& builders,
                      const ArgumentsByTask& arguments) {
  SubmissionBuild made;
  if (!unit.submission) return made;
  // The files are read once: what is compiled or played is what is looked at, and what is kept.
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
    make_python_ready(unit, *files, task, plan, arguments, builders.python, made);
  } else {
    build_native(*unit.submission, *files, task_header(task, *size), builders.compiler, made);
  }
  made.labels = labels_of(*files, made);
  return made;
}

}  // namespace

State state_of_failed(const SubmissionBuild& build) {
  if (build.failed_as) return *build.failed_as;
  const ErrorCode code = build.error ? build.error->code : ErrorCode::kInfrastructure;
  if (code == ErrorCode::kSubmission) return State::kCompileError;
  return code == ErrorCode::kNotFound ? State::kSkipped : State::kInfrastructureError;
}

void tell_of_build(const SubmissionBuild& build, Evaluation& evaluation) {
  if (!build.labels.empty())
    evaluation.labels = build.labels + (evaluation.labels.empty() ? "" : " ") + evaluation.labels;
  if (!build.python || !build.python->built) return;
  const std::string failure = build.python->built->first_failure();
  if (failure.empty()) return;
  evaluation.message += (evaluation.message.empty() ? "" : "\n") + failure;
  if (evaluation.hint.empty())
    evaluation.hint =
        "what was measured is what the file does without that extension: mend it, or hand the file "
        "in without it";
}

std::vector<SubmissionBuild> build_submissions(const Plan& plan, const Builders& builders,
                                               const ArgumentsByTask& arguments, int jobs,
                                               const std::atomic<bool>& given_up,
                                               const OnBuild& told) {
  std::vector<SubmissionBuild> builds(plan.units.size());
  for_each_index(builds.size(), jobs, [&](std::size_t i) {
    if (given_up) return;
    builds[i] = build(plan.units[i], plan, builders, arguments);
    if (told) told(i, builds[i]);
  });
  return builds;
}

}  // namespace kbench
