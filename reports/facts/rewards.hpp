// The reward of a result row, from the very numbers that JSON shows of it: a reader of a report can
// compute every reward from it, to the last digit.
#pragma once

#include "reports/facts/model.hpp"
#include "runner/core/json.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {

// The parts of the row that a reward reads.
[[nodiscard]] RewardRow reward_row(const ResultRow& row);

[[nodiscard]] Reward reward_of(const ResultRow& row, const RewardRule& rule);

// {name, value, capped, reason}; value and reason are null where there is none.
[[nodiscard]] Json to_json(const Reward& reward);

}  // namespace kbench
