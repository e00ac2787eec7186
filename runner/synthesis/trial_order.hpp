// One trial of a candidate: what is asked of a device, and what it found; as JSON for a lane. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/synthesis/candidate_record.hpp"

namespace kbench {

struct TrialFinding {
  CandidateFault fault = CandidateFault::kEager;
  std::string message;
};

enum class TrialKind {
  kTime,    // how long eager takes: the shortest of a few calls
  kJudge,   // whether eager is finite, does the same twice, and every mutation is rejected
  kCompare  // whether the package computes what eager does, as far as a baseline must
};

[[nodiscard]] std::string_view describe(TrialKind kind);  // "timing eager", for people

struct TrialOrder {
  TrialKind kind = TrialKind::kTime;
  std::string task;                    // id, for people
  std::filesystem::path file;          // absolute path of the task
  std::string size;                    // a size of the task
  std::string seed;                    // seed of inputs and parameters
  std::filesystem::path package = {};  // absolute path; kCompare only
};

struct TrialAnswer {
  double eager_ms = 0;                  // time of kTime, without a finding
  std::optional<TrialFinding> finding;  // the first; kTime: the task does not fit into memory

  // Whether the oracle is not to be trusted with another task after it.
  [[nodiscard]] bool spoils_oracle() const {
    return finding &&
           (finding->fault == CandidateFault::kEager || finding->fault == CandidateFault::kPackage);
  }
};

[[nodiscard]] Json trial_order_json(const TrialOrder& order);
[[nodiscard]] Json trial_answer_json(const TrialAnswer& answer);
// Errors: kBadInput, for what those did not write.
[[nodiscard]] Result<TrialOrder> trial_order_from_json(const Json& json);
[[nodiscard]] Result<TrialAnswer> trial_answer_from_json(const Json& json);

}  // namespace kbench
