// Rewards of evaluations, for training: pure functions of one row, by name. They read no clock, no
// device and no store, so that any stored run can be scored again under another name.
//
// A fault of kbench or of its machine is worth nothing, neither good nor bad: such rows have no
// value, and `reason` says why. So have rows of tasks that tell no right from wrong, and correct
// rows without a speed-up that the formula is made of and that counts (reports/facts/credit.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// 5 % less time, as a speed-up: the step of CUDA Agent's milestones (Dai et al., arXiv
// 2602.24286). Not 1.05.
inline constexpr double kMilestoneSpeedup = 1 / 0.95;

// −1 for what is not correct, 1 for what is, 2 beyond the step over eager, 3 beyond it over both
// baselines. Beyond it over compiled alone is 1.
[[nodiscard]] constexpr double milestone_reward(bool correct, bool beyond_eager,
                                                bool beyond_compiled) {
  if (!correct) return -1;
  if (!beyond_eager) return 1;
  return beyond_compiled ? 3 : 2;
}

enum class RewardFormula {
  kMilestone,
  kMilestoneSure,  // the default
  kSpeedup,
  kLog,
  kKernelGym,
  kKernelGymSpeedup,
  kKernelGymLadder,
  kKernrl,
  kKevin,
  kFastP,
  kVendorSpeedup,
  kVendorLog,
  kVendorFastP,
  kVendorSureFastP,
};

struct RewardKind {
  RewardFormula formula;
  std::string_view name;  // "milestone_sure"; with a threshold "fast_p:P", P being a number
  // The worth of a correct row; E, C, V: its speed-up over eager, compiled, the vendor's library.
  std::string_view correct;
  std::string_view fails;  // worth of a failed row
};
[[nodiscard]] std::span<const RewardKind> reward_kinds();

inline constexpr std::string_view kDefaultReward = "milestone_sure";

// A reward by its name.
struct RewardRule {
  std::string name;  // name as given
  RewardFormula formula = RewardFormula::kMilestoneSure;
  double p = 1;  // the threshold of has_threshold() ones
};
// Whether a formula has a threshold, which its name ends with.
[[nodiscard]] bool has_threshold(RewardFormula formula);
// Whether it is of the speed-up over the vendor's library, which only some tasks have.
[[nodiscard]] bool is_over_vendor(RewardFormula formula);

// "log", "fast_p:1.5". Errors: kUsage, with the nearest known name.
[[nodiscard]] Result<RewardRule> find_reward(std::string_view name);

// The part of a correct row's result that is paid.
enum class Pay {
  kSpeedup,
  kAtMostSame,  // its speed-up, up to that of a kernel as fast as the baseline
  kCorrect,     // being correct; a formula that needs a speed-up has no value
  kFailure,     // nothing: it is worth what a failure is
};
[[nodiscard]] std::string_view to_string(Pay pay);

// The parts of a row that a reward reads.
struct RewardRow {
  // A speed-up: above 1 the submission is faster.
  struct Ratio {
    double estimate = 0;
    double low = 0;     // low end of its 95 % interval
    bool sure = false;  // the interval holds what it promises: the speed-up has a verdict
  };
  State state = State::kInfrastructureError;
  std::string message = {};  // the row's own, which says why it was skipped; may be empty
  bool correct = false;      // judged, and found right
  std::string unranked;      // why the row counts in no score; empty where it does
  Pay pay = Pay::kSpeedup;
  std::string pay_reason = {};  // why it is not paid for its speed-up; empty where it is
  std::optional<Ratio> eager;
  std::optional<Ratio> compiled;
  std::optional<Ratio> vendor;
};

// Why no formula gives the row a value; empty where it has a reward.
[[nodiscard]] std::string why_no_reward(const RewardRow& row);

struct Reward {
  std::string name;
  std::optional<double> value;
  // The highest value was out of reach, for a reason that is not the submission's.
  bool capped = false;
  std::string reason;  // why there is no value, or why it is capped; else empty
};
[[nodiscard]] Reward reward(const RewardRule& rule, const RewardRow& row);

}  // namespace kbench
