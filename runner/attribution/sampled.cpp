#include "runner/attribution/sampled.hpp"

#include <cmath>
#include <random>
#include <set>

namespace kbench {
namespace {

Coalition everybody(int players) { return (Coalition{1} << players) - 1; }

// Π (2x_i): 1 where an even number of the group is missing.
double sign_of(Coalition coalition, Coalition group) {
  return size_of(group & ~coalition) % 2 == 0 ? 1 : -1;
}

// True for one of two complements: the one without the last player.
bool stands_for_its_pair(Coalition coalition, int players) {
  return (coalition >> (players - 1)) == 0;
}

}  // namespace

std::vector<Coalition> draw_coalitions(int players, std::size_t pairs, std::uint64_t seed) {
  const Coalition half = Coalition{1} << (players - 1);
  std::mt19937_64 random(seed);
  std::set<Coalition> drawn;
  std::vector<Coalition> list;
  while (drawn.size() < std::min<std::size_t>(pairs, half)) {
    const auto one = static_cast<Coalition>(random() % half);
    if (!drawn.insert(one).second) continue;
    list.push_back(one);
    list.push_back(everybody(players) & ~one);
  }
  return list;
}

TriedCoalitions in_pairs(const TriedCoalitions& tried, int players) {
  TriedCoalitions pairs;
  for (const auto& [coalition, value] : tried)
    if (tried.contains(everybody(players) & ~coalition)) pairs.emplace(coalition, value);
  return pairs;
}

std::optional<double> sampled_banzhaf(const TriedCoalitions& tried, int players, Coalition group) {
  const bool odd = size_of(group) % 2 == 1;
  const auto pairs = static_cast<double>(tried.size()) / 2;
  if (pairs < (odd ? 1 : 2)) return std::nullopt;
  // Both halves of a pair have the same sign where the group is even: the state's level does not
  // cancel, and the mean is taken from it. The pairs are drawn without return, of all there are.
  double mean = 0;
  if (!odd)
    for (const auto& [coalition, value] : tried) mean += value / (2 * pairs);
  double sum = 0;
  for (const auto& [coalition, value] : tried) {
    if (!stands_for_its_pair(coalition, players)) continue;
    const double other = tried.at(everybody(players) & ~coalition);
    sum += sign_of(coalition, group) * (odd ? (value - other) / 2 : (value + other) / 2 - mean);
  }
  const double all = std::ldexp(1.0, players - 1);
  const double average = odd ? sum / pairs : sum / (pairs - 1) * (all - 1) / all;
  return std::ldexp(average, size_of(group));
}

}  // namespace kbench
