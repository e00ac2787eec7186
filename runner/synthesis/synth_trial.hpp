// The trial of a candidate on an oracle: how long eager takes, that two runs are equal, that wrong
// submissions are rejected, that its package computes the same. One oracle serves one candidate
// after another, under the measuring lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/result.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/synthesis/candidate_record.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct TrialFinding {
  CandidateFault fault;
  std::string message;
};

class SynthTrial {
 public:
  // `seed`: what inputs and parameters are drawn by. The oracle outlives this.
  SynthTrial(OracleProcess& oracle, std::string device, std::string seed)
      : oracle_(oracle), device_(std::move(device)), seed_(std::move(seed)) {}

  // The shortest of a few calls. Errors: the oracle's, kDoesNotFit among them.
  [[nodiscard]] Result<double> eager_ms(const Task& task, const TaskSize& size);

  // The fault of a task; nothing where eager is finite, does the same twice, and every mutation is
  // rejected. The oracle must be started anew after kEager.
  [[nodiscard]] std::optional<TrialFinding> judge(const Task& task, const TaskSize& size);

  // The first difference; nothing where the package computes what eager does, as far as a baseline
  // must.
  [[nodiscard]] std::optional<TrialFinding> compare(const Task& task, const TaskSize& size,
                                                    const std::filesystem::path& package);

 private:
  Status load(const Task& task, const TaskSize& size, const std::filesystem::path& package);
  Result<std::optional<TrialFinding>> run_twice(const Task& task, const TaskSize& size);

  OracleProcess& oracle_;
  std::string device_;
  std::string seed_;
};

}  // namespace kbench
