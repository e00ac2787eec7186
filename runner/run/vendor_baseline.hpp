// The side of a vendor's library for the tasks of a run: whether a task is one call of it
// (baselines/vendor), which libraries are called, and a worker that has them. Those that LibTorch
// uses are called, so that eager is compared with its own library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "baselines/vendor/plan.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/players/worker_program.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class VendorBaseline {
 public:
  // The sandbox outlives it and all that it starts.
  VendorBaseline(const Installation& installation, const Target& target, Sandbox& sandbox,
                 std::string precision);

  // The vendor's side of a task in the run's class, or the reason why there is none.
  [[nodiscard]] EvaluationRequest::Vendor of(const Task& task, const TaskSize& size) const;
  // The files and variables that a worker sees besides its own library.
  [[nodiscard]] NativeSurroundings surroundings(const VendorPlan& plan) const;

 private:
  std::filesystem::path worker_;
  std::filesystem::path library_;  // ours
  Sandbox& sandbox_;
  std::string precision_;
  std::string reason_;                          // why no task has it; else empty
  std::vector<std::filesystem::path> folders_;  // folders of LibTorch's libraries
  std::string search_path_;                     // search path of the loader
  std::filesystem::path cublaslt_;
  std::filesystem::path cudnn_;
};

// The library of that name, of any version, in the first folder that has one; empty without.
[[nodiscard]] std::filesystem::path find_library(const std::vector<std::filesystem::path>& folders,
                                                 const std::string& name);

}  // namespace kbench
