#include "reports/facts/rewards.hpp"

#include <optional>

#include "reports/facts/fields.hpp"

namespace kbench {
namespace {

std::optional<RewardRow::Ratio> ratio_of(const std::optional<Speedup>& speedup) {
  if (!speedup) return std::nullopt;
  return RewardRow::Ratio{.estimate = nine_digits(speedup->estimate),
                          .low = nine_digits(speedup->low),
                          .sure = speedup->verdict != Verdict::kNone};
}

}  // namespace

RewardRow reward_row(const ResultRow& row) {
  return {.state = row.state,
          .message = row.message,
          .correct = row.judged_correct(),
          .unranked = row.credit.unranked,
          .pay = row.credit.pay,
          .pay_reason = row.credit.pay_reason,
          .eager = ratio_of(row.over_eager),
          .compiled = ratio_of(row.over_compiled),
          .vendor = ratio_of(row.over_vendor)};
}

Reward reward_of(const ResultRow& row, const RewardRule& rule) {
  return reward(rule, reward_row(row));
}

Json to_json(const Reward& reward) {
  return {{"name", reward.name},
          {"value", reward.value ? rounded(*reward.value) : Json()},
          {"capped", reward.capped},
          {"reason", reward.reason.empty() ? Json() : Json(reward.reason)}};
}

}  // namespace kbench
