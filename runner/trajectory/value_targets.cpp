#include "runner/trajectory/value_targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace kbench {

Result<ValueTargets> value_targets(std::span<const double> rewards, std::span<const double> values,
                                   double discount, double trace_decay) {
  const std::size_t turns = rewards.size();
  if (values.size() != turns && values.size() != turns + 1) {
    return Error{ErrorCode::kBadInput, fmt::format("{} values for {} turns", values.size(), turns),
                 "give one for each turn, and perhaps one more, of what comes after the last"};
  }
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
    return Error{ErrorCode::kBadInput, "a value is no finite number",
                 "give a finite number for each turn"};
  std::vector<double> targets(turns);
  std::vector<double> advantages(turns);
  double advantage = 0;  // advantage of the turn behind the one at hand
  for (std::size_t t = turns; t-- > 0;) {
    const double next = t + 1 < values.size() ? values[t + 1] : 0;
    const double delta = rewards[t] + discount * next - values[t];
    advantage = delta + discount * trace_decay * advantage;
    advantages[t] = advantage;
    targets[t] = values[t] + advantage;
  }
  return ValueTargets{std::move(targets), std::move(advantages)};
}

ValueTargets value_targets(std::span<const double> rewards, double discount) {
  std::vector<double> targets(rewards.size());
  double following = 0;
  for (std::size_t t = rewards.size(); t-- > 0;)
    targets[t] = following = rewards[t] + discount * following;
  return {std::move(targets), std::nullopt};
}

}  // namespace kbench
