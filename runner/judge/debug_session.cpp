#include "runner/judge/debug_session.hpp"

#include <fmt/format.h>

#include "runner/judge/kernel_words.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/one_row.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {
namespace {

RunRequest as_run(const DebugRequest& request) {
  RunRequest run;
  run.suite = request.suite;
  if (!request.task.empty()) run.tasks = {request.task};
  run.size = request.size;
  run.device = request.device;
  run.precision = request.precision;
  run.file = request.file;
  run.no_lint = true;
  return run;
}

}  // namespace

Result<DebuggedFile> debug_file(const DebugRequest& request, DeviceSession& device,
                                ProgressSink& progress) {
  const auto plan = plan_one_row(as_run(request), device.installation(), "debug");
  if (!plan) return plan.error();
  const PlannedRow& row = plan->units.front();
  const std::string name = clean_name(request.file.filename().string(), 200);
  if (row.is_python())
    return Error{ErrorCode::kUsage, name + " is written in Python, which no sanitizer runs",
                 "`kbench debug` takes a .cpp or .cu file: put the kernel's source into one"};
  const auto files = read_source_files(*row.submission);
  if (!files) return files.error();
  device.prepare();
  const Task& task = plan->tasks[row.task];
  const ProbedKernel kernel{*row.submission, *files, task,
                            probed_size(task, *task.find_size(plan->target.size))};
  progress.begin("running under sanitizers", {0});
  progress.item(0, task.id);
  auto report = debugger_in_turn(kernel, plan->target, device,
                                 {.wait = !request.no_wait, .progress = &progress, .waits = {}});
  progress.end();
  if (!report) return report.error();
  if (report->status == kToolMissing)
    return Error{ErrorCode::kInfrastructure, report->text, kDoctorSays};
  if (!report->text.ends_with('\n')) report->text += '\n';
  return DebuggedFile{.file = name,
                      .task = task.id,
                      .size = kernel.size.name,
                      .device = plan->target.device,
                      .report = std::move(*report)};
}

Json debugged_json(const DebuggedFile& found) {
  return {{"schema_version", 1},
          {"file", found.file},
          {"task", found.task},
          {"size", found.size},
          {"device", found.device},
          {"clean", found.report.is_clean},
          {"status", found.report.status},
          {"text", found.report.text}};
}

std::string debugged_words(const DebuggedFile& found) {
  return fmt::format("{}, {} at {} on {}: {}", found.file, found.task, found.size, found.device,
                     found.report.is_clean ? "nothing was found" : "not clean (exit code 1)");
}

}  // namespace kbench
