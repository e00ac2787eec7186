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

Reward reward_of(const ResultRow& row, const RewardRule& rule) {
  Reward made = reward(rule, {.state = row.state,
                              .correct = row.judged_correct(),
                              .unranked = row.credit.unranked,
                              .pay = row.credit.pay,
                              .pay_reason = row.credit.pay_reason,
                              .eager = ratio_of(row.over_eager),
                              .compiled = ratio_of(row.over_compiled),
                              .vendor = ratio_of(row.over_vendor)});
  // The row alone knows which of several reasons it was.
  if (row.state == State::kSkipped && !row.message.empty())
    made.reason = row.message.substr(0, row.message.find('\n'));
  return made;
}

Json to_json(const Reward& reward) {
  return {{"name", reward.name},
          {"value", reward.value ? rounded(*reward.value) : Json()},
          {"capped", reward.capped},
          {"reason", reward.reason.empty() ? Json() : Json(reward.reason)}};
}

}  // namespace kbench
