// reward_rows COUNT SEED: rows of every kind, each as JSON shows it, with its rewards under every
// name: one line {"row", "rewards": [{name, value, capped, reason}]} a row. reward_test.py computes
// the rewards from the row alone.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "reports/formats/json_report.hpp"
#include "reports/facts/json_text.hpp"
#include "reports/facts/model.hpp"
#include "runner/reward/reward.hpp"

namespace {

using kbench::ResultRow;
using kbench::Pay;
using kbench::Speedup;
using kbench::State;
using kbench::Verdict;

// Values at which formulas have their steps, and some between.
constexpr std::array kSteps{1.0,       1.01, 1.05, 1.0526315, 1.0526316, 1.05263158, 1 / 0.95, 1.2,
                            1.5,       2.0,  3.0,  0.5,       0.999999,  1.0000001,  0.3678,   0.3679,
                            2.9999999, 20.0, 20.1, 1e-6,      1e6};

constexpr std::array kStates{
    State::kOk,           State::kNoSubmission,    State::kSkipped,
    State::kRefused,      State::kCompileError,    State::kMissingSymbol,
    State::kLoadError,    State::kSubmissionError, State::kWrongResult,
    State::kCrash,        State::kTimeout,         State::kOverBudget,
    State::kDoesNotFit,   State::kTimingInconsistent, State::kRedzoneViolation,
    State::kInputModified, State::kDeviceNotIdle,  State::kRanWhileStopped,
    State::kForbiddenLibrary, State::kSuspect,     State::kInfrastructureError};

constexpr std::array kPays{Pay::kAtMostSame, Pay::kCorrect, Pay::kFailure};

class Rows {
 public:
  explicit Rows(std::uint64_t seed) : random_(seed) {}

  ResultRow next() {
    ResultRow row;
    row.task = "level1/019_relu";
    row.level = 1;
    row.size = "full";
    row.device = "cuda";
    row.profile = "kbench";
    // Most rows are correct: there is more to tell apart.
    row.state = chance(0.6) ? State::kOk : kStates.at(below(kStates.size()));
    row.fault = kbench::fault_of(row.state);
    row.has_submission = row.state != State::kNoSubmission;
    row.agent = "somebody";
    if (row.state == State::kOk || row.state == State::kSuspect) row.correct = chance(0.99);
    if (row.state == State::kWrongResult) row.correct = false;
    if (chance(0.03)) row.credit.unranked = "zeros pass";
    if (chance(0.1)) {
      row.credit.pay = kPays.at(below(kPays.size()));
      row.credit.pay_reason = "why not";
    }
    // Rows that failed late were timed; a formula must not look at their times.
    if (row.state == State::kOk || chance(0.3)) {
      if (chance(0.97)) row.over_eager = speedup();
      if (chance(0.9)) row.over_compiled = speedup();
      if (chance(0.5)) row.over_vendor = speedup();
    }
    return row;
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  bool chance(double p) { return uniform() < p; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  Speedup speedup() {
    Speedup made;
    made.estimate = chance(0.3) ? kSteps.at(below(kSteps.size())) : 0.2 + 4 * uniform();
    made.low = chance(0.3) ? kSteps.at(below(kSteps.size())) : made.estimate * (1 - 0.1 * uniform());
    made.high = made.estimate * (1 + 0.1 * uniform());
    made.confidence = 0.95;
    made.units = 9;
    made.verdict = chance(0.1) ? Verdict::kNone : Verdict::kUndecided;
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<kbench::RewardRule> rules;
  for (const char* name :
       {"milestone", "milestone_sure", "speedup", "log", "kernelgym", "kernelgym_speedup",
        "kernelgym_ladder", "kernrl", "kevin", "fast_p:1", "fast_p:1.5", "fast_p:0.8",
        "vendor_speedup", "vendor_log", "vendor_fast_p:1.5", "vendor_sure_fast_p:1"})
    rules.push_back(kbench::find_reward(name).value());
  Rows rows(std::strtoull(argv[2], nullptr, 10));
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    const ResultRow row = rows.next();
    kbench::Json rewards = kbench::Json::array();
    for (const auto& rule : rules) rewards.push_back(kbench::result_json(row, rule).at("reward"));
    const kbench::Json line = {{"row", kbench::result_json(row)}, {"rewards", std::move(rewards)}};
    std::printf("%s\n", kbench::json_text(line).c_str());
  }
  return 0;
}
