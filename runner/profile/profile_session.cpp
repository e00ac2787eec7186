#include "runner/profile/profile_session.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/source_contents.hpp"
#include "runner/plan/one_row.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/submission/ptxas.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {
namespace {

bool has_submission(const ProfileRequest& request) {
  return request.submission || request.submissions;
}

RunRequest as_run(const ProfileRequest& request) {
  RunRequest run;
  run.suite = request.suite;
  if (!request.task.empty()) run.tasks = {request.task};
  run.size = request.size;
  run.device = request.device;
  run.precision = request.precision;
  run.file = request.submission;
  run.submissions = request.submissions;
  run.all_tasks = true;
  run.baselines_only = !has_submission(request);
  run.no_lint = true;
  run.allow_torch = "all";
  run.vendor = request.side == Side::kVendor;
  run.call_limit_seconds = request.call_limit_seconds;
  return run;
}

ProfileInput as_input(BenchProfile&& taken, const std::string& precision, const Work& work) {
  ProfileInput input{.device = std::move(taken.device),
                     .precision = precision,
                     .work = work,
                     .limits = std::move(taken.limits),
                     .peaks = taken.peaks,
                     .recorded = std::move(taken.recorded),
                     .instructions = taken.instructions,
                     .missing = std::move(taken.missing),
                     .waited_in_calls = taken.waited_in_calls,
                     .waited_in_peaks = taken.waited_in_peaks};
  if (!taken.compiler_words.empty()) input.resources = read_ptxas(taken.compiler_words).kernels;
  return input;
}

Side side_of(const ProfileRequest& request) {
  return request.side.value_or(has_submission(request) ? Side::kSubmission : Side::kEager);
}

// Hash of what the files hold; empty where they are no longer those that were planned.
std::string contents_of(const PlannedRow& unit) {
  if (!unit.submission) return "";
  const auto files = read_source_files(*unit.submission);
  if (!files || hash_sources(*unit.submission, *files) != unit.id.source_hash) return "";
  std::vector<TreeFile> tree;
  for (const SourceFile& file : *files) tree.push_back({file.name, sha256(file.bytes), 0});
  return hash_contents(tree);
}

ProfileSubject subject_of(const Plan& plan, Side side, const std::string& torch) {
  const PlannedRow& unit = plan.units.front();
  const Task& task = plan.tasks[unit.task];
  ProfileSubject subject{.task = task.id,
                         .task_hash = task.hash,
                         .size = plan.target.size,
                         .side = std::string(to_string(side)),
                         .submission = {},
                         .source_hash = {},
                         .contents_hash = {},
                         .torch = torch};
  if (side == Side::kSubmission) {
    subject.submission = unit.id.name;
    subject.source_hash = unit.id.source_hash;
    subject.contents_hash = contents_of(unit);
  }
  return subject;
}

}  // namespace

Result<ProfileRequest> with_file_as_submission(ProfileRequest request,
                                               const std::string& task_of_file, bool listed) {
  if (!request.submission && !request.submissions && names_source(request.task)) {
    if (listed || request.side)
      return Error{ErrorCode::kUsage, "a FILE does not go together with --list and --side",
                   "`kbench profile FILE` profiles the submission"};
    request.submission = std::exchange(request.task, "");
  }
  if (task_of_file.empty()) return request;
  if (!request.task.empty())
    return Error{ErrorCode::kUsage, "TASK and --task each name a task",
                 "kbench profile FILE --task TASK"};
  request.task = task_of_file;
  return request;
}

Result<ProfileRequest> named_request(BenchSource& benches, ProfileRequest request) {
  const RunRequest run = as_run(request);
  const auto plan = plan_one_row(run, benches.installation(), "profile");
  if (!plan) return plan.error();
  request.task = plan->tasks[plan->units.front().task].id;
  if (!request.device) request.device = plan->target.device;
  return request;
}

Result<Profile> profile_task(BenchSource& benches, const ProfileRequest& request,
                             ProgressSink& progress) {
  const Side side = side_of(request);
  if (side == Side::kSubmission && !has_submission(request))
    return Error{ErrorCode::kUsage, "there is no submission to profile",
                 "name its file: --submission FILE"};
  const auto stopped = [&] { return request.stop && request.stop(); };
  const Error interrupted{ErrorCode::kInfrastructure, "interrupted", ""};
  benches.prepare();
  const RunRequest run = as_run(request);
  auto plan = plan_one_row(run, benches.installation(), "profile");
  if (!plan) return plan.error();
  const RunTerms terms{
      .no_wait = request.no_wait, .waits = request.waits, .gives_up = request.stop};
  auto bench = benches.make({run, terms, *plan, progress, CompilerTells::kResources});
  if (!bench) return bench.error();
  // A bench knows whether there is a Python that has torch.
  if (auto played = check_played(plan->units.front()); !played) return played.error();
  if (auto taken = (*bench)->take_device("kbench profile", 0); !taken) return taken.error();
  if (stopped()) return interrupted;
  const auto hello = (*bench)->start();
  if (!hello) return hello.error();
  if (stopped()) return interrupted;
  auto taken = (*bench)->profile(0, side);
  (*bench)->begin_end(/*lost=*/true);  // an oracle that has had CUPTI times nothing any more
  (*bench)->wait_for_end();
  if (!taken) return taken.error();
  const Work& work = plan->tasks[plan->units.front().task].find_size(plan->target.size)->work;
  return make_profile(subject_of(*plan, side, hello->torch),
                      as_input(std::move(*taken), request.precision, work));
}

}  // namespace kbench
