// The plan of a run: its tasks, the submissions for each, and their order. Pure planning; no
// process is started.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/file_census.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/submission/submission.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// A row of the result, before it is evaluated.
struct PlannedRow {
  std::size_t task = 0;  // index into Plan::tasks
  std::optional<Submission> submission;
  // Set if the row ends without an evaluation: a submission for the other device, or malformed.
  std::optional<State> ends_as;
  std::string message;
  std::string hint;
  SubmissionId id;  // a malformed submission has one too

  [[nodiscard]] bool is_python() const {
    return submission && submission->kind == SubmissionKind::kPython;
  }
};

struct Plan {
  Target target;
  // GPUs whose lanes measure at once, by UUID; the target is the first of them. One without a name:
  // the CPU has a lane. Empty: no lanes, the target is measured on by the run itself.
  std::vector<GpuInfo> devices;
  std::vector<Task> tasks;                           // tasks of the run; in a shard, its part
  bool only_submitted = false;                       // tasks without a submission were left out
  std::string selection;                             // shard: names of all selected tasks
  std::vector<PlannedRow> units;                     // sorted by task, agent, variant
  std::string submissions_from;                      // a sentence: which folder was taken and why
  std::optional<std::filesystem::path> submissions;  // the folder or file taken; empty for examples
  std::optional<Census> census;                      // census of that folder; empty for examples
  std::optional<Error> nothing_selected;             // kNotFound: reason for an empty plan
  std::vector<std::string> notes;                    // lines on all that was left out
};

// `given`: the target, which need not be a device of this machine; else choose_target's.
[[nodiscard]] Result<Plan> make_plan(const RunRequest& request, const Installation& installation,
                                     const std::optional<Target>& given = {});

}  // namespace kbench
