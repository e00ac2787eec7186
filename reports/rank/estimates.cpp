#include "reports/rank/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/rank/score.hpp"

namespace kbench {
namespace {

bool is_estimated(const ResultRow& row) {
  return row.ranked() && row.counts_as_correct() && row.over_eager.has_value();
}

Estimates estimates_of_agent(std::span<const ResultRow> rows, const std::string& agent,
                             VariantRule rule) {
  Estimates sums;
  for (const Standing& standing : standings(rows, agent, rule)) {
    const auto row = std::find_if(standing.rows.begin(), standing.rows.end(),
                                  [](const ResultRow* one) { return is_estimated(*one); });
    if (row == standing.rows.end()) continue;
    const double speedup = (*row)->over_eager->estimate;
    sums.faster += speedup > 1 ? 1 : 0;
    sums.sum += std::log(speedup);
    ++sums.timed;
  }
  return sums;
}

}  // namespace

double Estimates::mean() const { return timed == 0 ? 0 : std::exp(sum / timed); }

bool Estimates::operator<(const Estimates& other) const {
  return std::pair(faster, mean()) < std::pair(other.faster, other.mean());
}

std::map<std::string, Estimates> estimates_of(std::span<const ResultRow> rows, VariantRule rule) {
  const auto has_verdict = [](const ResultRow& row) {
    return is_estimated(row) && row.over_eager->verdict != Verdict::kNone;
  };
  if (std::none_of(rows.begin(), rows.end(), is_estimated) ||
      std::any_of(rows.begin(), rows.end(), has_verdict))
    return {};
  std::map<std::string, Estimates> found;
  for (const std::string& agent : agents_of(rows))
    found.emplace(agent, estimates_of_agent(rows, agent, rule));
  return found;
}

}  // namespace kbench
