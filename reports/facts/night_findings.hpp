// Findings of `kbench nightly` about submissions of a run (reports/over_time/nightly.hpp), as they
// are stored with the run and shown by every report of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct NightFinding {
  std::string task;
  std::string agent;
  std::string variant;
  std::string verdict;      // "confirmed", "cleared", "unclear"
  bool regression = false;  // confirmed
  std::string message;      // one sentence

  // "agent" or "agent@variant".
  [[nodiscard]] std::string contestant() const;
};

// [{"task", "agent", "variant", "verdict", "message"}]
[[nodiscard]] Json to_json(const std::vector<NightFinding>& findings);

// Reads them back: foreign text. Errors: kBadInput, where one lacks a member or has a verdict that
// there is not, or where there is more than a night can find.
[[nodiscard]] Result<std::vector<NightFinding>> parse_night_findings(std::string_view text);

}  // namespace kbench
