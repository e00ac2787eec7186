// One profile from its request to its findings: plans the one task, builds the submission, takes
// the device's lock like a measurement, has the calls recorded, and finds the verdict. Prints
// nothing and stores nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/profile/profile.hpp"
#include "runner/run/run_bench.hpp"

namespace kbench {

struct ProfileRequest {
  std::optional<std::filesystem::path> suite;  // a folder with levelN/; else the installation's
  std::string task;  // must select exactly one; empty: the submission's name says it
  std::optional<std::filesystem::path> submission;
  std::optional<std::filesystem::path> submissions;  // a folder in its place, with one for the task
  std::optional<Side> side;           // else the submission's where there is one, else eager
  std::optional<std::string> size;    // "small" or "full"
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"
  std::string precision = "torch-default";
  std::optional<double> call_limit_seconds;
  bool no_wait = false;
  // Receives the device wait, as in RunTerms.
  std::function<void(const std::optional<DeviceWait>&)> waits = {};
  // Asked while it waits for the device and between its steps: true ends it with an error.
  std::function<bool()> stop = {};
};

// The request of a user who may have named a file in place of a task: the file is the submission,
// and `task_of_file` its task; empty: its name says the task, as for `kbench run`. Errors: kUsage,
// a file goes with neither `listed` nor a side, and a task is named once.
[[nodiscard]] Result<ProfileRequest> with_file_as_submission(ProfileRequest request,
                                                             const std::string& task_of_file,
                                                             bool listed);

// The request with the task's id and the device named, as they follow from the file: another side
// of that task can then be asked for without the file. Nothing is compiled or started. Errors:
// kUsage, kNotFound.
[[nodiscard]] Result<ProfileRequest> named_request(BenchSource& benches, ProfileRequest request);

// Errors: kUsage, kNotFound; kSubmission, where the submission does not compile or its process
// ended; kInfrastructure, where the device is taken and `no_wait` is set, or kbench cannot run
// here.
[[nodiscard]] Result<Profile> profile_task(BenchSource& benches, const ProfileRequest& request,
                                           ProgressSink& progress);

}  // namespace kbench
