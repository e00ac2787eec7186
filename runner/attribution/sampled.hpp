// Above five components not every coalition can be tried. A state is then tried under some drawn
// uniformly, each with its complement, and Banzhaf's indices are estimated from these: with x_i =
// ±½, I_T is the coefficient of Π x_i in the full factorial, 2^{|T|} times the mean of Y·Π(2x_i)
// over all coalitions. Unbiased; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runner/attribution/game.hpp"

namespace kbench {

// Number of players up to which every coalition is tried.
inline constexpr int kMostWholePlayers = 5;

// `pairs` different coalitions of `players`, each followed by its complement; all 2^(players−1)
// pairs where more are asked for. The same for the same seed.
[[nodiscard]] std::vector<Coalition> draw_coalitions(int players, std::size_t pairs,
                                                     std::uint64_t seed);

// Mean outcome of each coalition that was tried.
using TriedCoalitions = std::map<Coalition, double>;

// Coalitions whose complement was tried as well; a coalition without its complement would tell the
// level of the state for an effect.
[[nodiscard]] TriedCoalitions in_pairs(const TriedCoalitions& tried, int players);

// Banzhaf's value or interaction of `group`. Nothing where less than one pair is there (a group of
// odd size) or less than two (even). `tried` holds pairs alone. Exact where it holds all
// coalitions.
[[nodiscard]] std::optional<double> sampled_banzhaf(const TriedCoalitions& tried, int players,
                                                    Coalition group);

}  // namespace kbench
