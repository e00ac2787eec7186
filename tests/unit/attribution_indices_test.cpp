// Indices of cooperative games against their definitions: means over orders of joining, and over
// subsets.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runner/attribution/game.hpp"
#include "runner/attribution/indices.hpp"
#include "runner/attribution/sampled.hpp"

namespace kbench {
namespace {

constexpr double kExact = 1e-12;
constexpr int kGames = 200;

CoalitionValues random_game(int players, std::mt19937_64& random) {
  std::uniform_real_distribution<double> outcome(0, 1);
  CoalitionValues values(std::size_t{1} << players);
  for (double& value : values) value = outcome(random);
  return values;
}

Coalition everybody(const CoalitionValues& values) {
  return static_cast<Coalition>(values.size() - 1);
}

// Δ_T v(S) = Σ_{U⊆T} (−1)^{|T|−|U|} v(S ∪ U), of S without any of T.
double discrete_derivative(const CoalitionValues& values, Coalition group, Coalition base) {
  double sum = 0;
  for (Coalition part = group;; part = (part - 1) & group) {
    sum += (size_of(group) - size_of(part)) % 2 == 0 ? values[base | part] : -values[base | part];
    if (part == 0) return sum;
  }
}

// Mean of the derivatives over all coalitions of the others.
double banzhaf_by_subsets(const CoalitionValues& values, Coalition group) {
  const Coalition others = everybody(values) & ~group;
  double sum = 0;
  for (Coalition base = others;; base = (base - 1) & others) {
    sum += discrete_derivative(values, group, base);
    if (base == 0) return sum / std::ldexp(1.0, size_of(others));
  }
}

// Mean over all orders in which the others and the group, as one, can join.
double shapley_by_orders(const CoalitionValues& values, Coalition group) {
  std::vector<Coalition> joining = {group};
  for (int at = 0; at < players_of(values); ++at)
    if ((group >> at & 1u) == 0) joining.push_back(Coalition{1} << at);
  std::sort(joining.begin(), joining.end());
  double sum = 0;
  double orders = 0;
  do {
    Coalition before = 0;
    for (auto at = joining.begin(); *at != group; ++at) before |= *at;
    sum += discrete_derivative(values, group, before);
    ++orders;
  } while (std::next_permutation(joining.begin(), joining.end()));
  return sum / orders;
}

// Shapley–Taylor's top order over all orders: the derivative where the first of the group joins.
double taylor_by_orders(const CoalitionValues& values, Coalition group) {
  std::vector<int> joining(static_cast<std::size_t>(players_of(values)));
  std::iota(joining.begin(), joining.end(), 0);
  double sum = 0;
  double orders = 0;
  do {
    Coalition before = 0;
    for (auto at = joining.begin(); (group >> *at & 1u) == 0; ++at) before |= Coalition{1} << *at;
    sum += discrete_derivative(values, group, before);
    ++orders;
  } while (std::next_permutation(joining.begin(), joining.end()));
  return sum / orders;
}

// The same by how many others joined before, whose number of orders is known: up to eight players.
double shapley_by_subsets(const CoalitionValues& values, Coalition group) {
  const Coalition others = everybody(values) & ~group;
  const double free = size_of(others);
  double sum = 0;
  for (Coalition base = others;; base = (base - 1) & others) {
    const double before = size_of(base);
    const double share =
        std::tgamma(before + 1) * std::tgamma(free - before + 1) / std::tgamma(free + 2);
    sum += share * discrete_derivative(values, group, base);
    if (base == 0) return sum;
  }
}

// Shapley–Taylor's index by its definition: the derivative counts where the group's first joins
// after so many.
double taylor_by_subsets(const CoalitionValues& values, Coalition group) {
  const Coalition others = everybody(values) & ~group;
  const double players = players_of(values);
  double sum = 0;
  for (Coalition base = others;; base = (base - 1) & others) {
    const double before = size_of(base);
    const double sets =
        std::tgamma(players) / (std::tgamma(before + 1) * std::tgamma(players - before));
    sum += size_of(group) / players / sets * discrete_derivative(values, group, base);
    if (base == 0) return sum;
  }
}

void check_groups(const CoalitionValues& values) {
  const CoalitionValues transform = moebius(values);
  for (Coalition group = 1; group < values.size(); ++group) {
    ASSERT_NEAR(index_of(Index::kBanzhaf, transform, group), banzhaf_by_subsets(values, group),
                kExact);
    ASSERT_NEAR(index_of(Index::kShapley, transform, group), shapley_by_subsets(values, group),
                kExact);
    ASSERT_NEAR(index_of(Index::kShapleyTaylor, transform, group), taylor_by_subsets(values, group),
                kExact);
    ASSERT_NEAR(index_of(Index::kSigma, transform, group), discrete_derivative(values, group, 0),
                kExact);
    ASSERT_NEAR(index_of(Index::kAddOne, transform, group), values[group] - values[0], kExact);
    const Coalition all = everybody(values);
    ASSERT_NEAR(index_of(Index::kLeaveOneOut, transform, group), values[all] - values[all & ~group],
                kExact);
  }
}

void check_efficiency(const CoalitionValues& values) {
  const CoalitionValues transform = moebius(values);
  double sum = 0;
  for (int at = 0; at < players_of(values); ++at)
    sum += index_of(Index::kShapley, transform, Coalition{1} << at);
  ASSERT_NEAR(sum, values.back() - values.front(), kExact);
}

void check_inverse(const CoalitionValues& values) {
  const CoalitionValues back = values_of_moebius(moebius(values));
  for (std::size_t at = 0; at < values.size(); ++at) ASSERT_NEAR(back[at], values[at], kExact);
}

// A player who changes nothing is added in front, so that all the others move.
void check_dummy(const CoalitionValues& values) {
  CoalitionValues larger(values.size() * 2);
  for (std::size_t at = 0; at < larger.size(); ++at) larger[at] = values[at >> 1];
  const CoalitionValues transform = moebius(values);
  const CoalitionValues with_dummy = moebius(larger);
  for (const Index index : {Index::kBanzhaf, Index::kShapley, Index::kShapleyTaylor, Index::kSigma,
                            Index::kAddOne, Index::kLeaveOneOut}) {
    for (Coalition group = 1; group < values.size(); ++group)
      ASSERT_NEAR(index_of(index, with_dummy, group << 1), index_of(index, transform, group),
                  kExact);
    ASSERT_NEAR(index_of(index, with_dummy, 1), 0, kExact);
  }
}

TEST(AttributionIndices, RandomGamesAreAsTheirDefinitionsSay) {
  std::mt19937_64 random(44);
  for (int players = 2; players <= 8; ++players)
    for (int game = 0; game < kGames; ++game) {
      const CoalitionValues values = random_game(players, random);
      check_groups(values);
      check_efficiency(values);
      check_inverse(values);
      check_dummy(values);
      if (HasFatalFailure()) return;
    }
}

// Orders are many: all groups up to five players, and of eight one group of each size.
TEST(AttributionIndices, ShapleyAndTaylorAreMeansOverOrders) {
  std::mt19937_64 random(45);
  for (int players = 2; players <= 5; ++players)
    for (int game = 0; game < kGames; ++game) {
      const CoalitionValues values = random_game(players, random);
      const CoalitionValues transform = moebius(values);
      // Every group in turn, so that 200 games look at each several times.
      const auto group =
          static_cast<Coalition>(1 + static_cast<std::size_t>(game) % (values.size() - 1));
      ASSERT_NEAR(index_of(Index::kShapley, transform, group), shapley_by_orders(values, group),
                  kExact);
      ASSERT_NEAR(index_of(Index::kShapleyTaylor, transform, group),
                  taylor_by_orders(values, group), kExact);
    }
  for (int players = 6; players <= 8; ++players) {
    const CoalitionValues values = random_game(players, random);
    const CoalitionValues transform = moebius(values);
    for (int size = 1; size <= 3; ++size) {
      const Coalition group = ((Coalition{1} << size) - 1) << 1;
      ASSERT_NEAR(index_of(Index::kShapley, transform, group), shapley_by_orders(values, group),
                  kExact);
      ASSERT_NEAR(index_of(Index::kShapleyTaylor, transform, group),
                  taylor_by_orders(values, group), kExact);
    }
  }
}

// u_T: 1 where all of T are there.
TEST(AttributionIndices, UnanimityGamesHaveClosedForms) {
  constexpr int kPlayers = 5;
  for (Coalition carrier = 1; carrier < 1u << kPlayers; ++carrier) {
    CoalitionValues values(1u << kPlayers);
    for (Coalition at = 0; at < values.size(); ++at) values[at] = (at & carrier) == carrier ? 1 : 0;
    const CoalitionValues transform = moebius(values);
    for (Coalition group = 1; group < values.size(); ++group) {
      const bool within = (group & ~carrier) == 0;
      const int size = size_of(carrier);
      EXPECT_DOUBLE_EQ(index_of(Index::kBanzhaf, transform, group),
                       within ? std::ldexp(1.0, size_of(group) - size) : 0);
      if (size_of(group) == 1) {
        EXPECT_DOUBLE_EQ(index_of(Index::kShapley, transform, group), within ? 1.0 / size : 0);
      }
    }
  }
}

TEST(AttributionIndices, AdditiveGamesHaveNoInteraction) {
  const std::vector<double> worth = {0.1, -0.2, 0.3, 0.05};
  CoalitionValues values(16, 0.25);
  for (Coalition at = 0; at < values.size(); ++at)
    for (std::size_t player = 0; player < worth.size(); ++player)
      if ((at >> player & 1u) != 0) values[at] += worth[player];
  const CoalitionValues transform = moebius(values);
  for (Coalition group = 1; group < values.size(); ++group)
    for (const Index index :
         {Index::kBanzhaf, Index::kShapley, Index::kShapleyTaylor, Index::kSigma}) {
      const double expected =
          size_of(group) == 1 ? worth[static_cast<std::size_t>(std::countr_zero(group))] : 0;
      EXPECT_NEAR(index_of(index, transform, group), expected, kExact);
    }
}

// β[i ∨ j]: either does what both do.
TEST(AttributionIndices, SubstitutesShareAndInteractNegatively) {
  constexpr double kBeta = 0.3;
  const CoalitionValues transform = moebius({0, kBeta, kBeta, kBeta, 0, kBeta, kBeta, kBeta});
  EXPECT_DOUBLE_EQ(index_of(Index::kBanzhaf, transform, 0b001), kBeta / 2);
  EXPECT_DOUBLE_EQ(index_of(Index::kBanzhaf, transform, 0b010), kBeta / 2);
  EXPECT_DOUBLE_EQ(index_of(Index::kBanzhaf, transform, 0b011), -kBeta);
  EXPECT_DOUBLE_EQ(index_of(Index::kShapley, transform, 0b011), -kBeta);
}

// All 256 games of three players whose outcomes are 0 or 1.
TEST(AttributionIndices, WorstCasesOfThreePlayers) {
  double released = 0;
  double interaction = 0;
  double largest_of_three = 0;
  for (unsigned game = 0; game < 256; ++game) {
    CoalitionValues values(8);
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = game >> at & 1u;
    const CoalitionValues transform = moebius(values);
    released = std::max(released, std::abs(released_sigma(transform, 0b011)));
    interaction = std::max(interaction, std::abs(index_of(Index::kBanzhaf, transform, 0b011)));
    largest_of_three =
        std::max(largest_of_three, std::abs(index_of(Index::kBanzhaf, transform, 0b111)));
  }
  EXPECT_DOUBLE_EQ(released, 10.0 / 3);
  EXPECT_DOUBLE_EQ(interaction, 2);
  EXPECT_DOUBLE_EQ(interaction, largest_interaction(0b011));
  EXPECT_DOUBLE_EQ(largest_of_three, largest_interaction(0b111));
}

TriedCoalitions tried(const CoalitionValues& values, const std::vector<Coalition>& drawn) {
  TriedCoalitions found;
  for (const Coalition one : drawn) found.emplace(one, values[one]);
  return found;
}

TEST(AttributionIndices, DrawnCoalitionsComeWithTheirComplements) {
  const auto drawn = draw_coalitions(8, 8, 3);
  ASSERT_EQ(drawn.size(), 16u);
  for (std::size_t at = 0; at < drawn.size(); at += 2) EXPECT_EQ(drawn[at] ^ drawn[at + 1], 255u);
  EXPECT_EQ(drawn, draw_coalitions(8, 8, 3));
  EXPECT_NE(drawn, draw_coalitions(8, 8, 4));
  EXPECT_EQ(draw_coalitions(3, 100, 1).size(), 8u) << "there are no more";
}

TEST(AttributionIndices, ACoalitionWithoutItsComplementIsNoPair) {
  const TriedCoalitions some = {{0b000001, 1}, {0b111110, 0}, {0b000011, 1}};
  EXPECT_EQ(in_pairs(some, 6), (TriedCoalitions{{0b000001, 1}, {0b111110, 0}}));
}

TEST(AttributionIndices, AllCoalitionsDrawnAreTheWholeGame) {
  std::mt19937_64 random(46);
  const CoalitionValues values = random_game(6, random);
  const CoalitionValues transform = moebius(values);
  const TriedCoalitions all = tried(values, draw_coalitions(6, 32, 1));
  for (Coalition group = 1; group < values.size(); ++group)
    EXPECT_NEAR(*sampled_banzhaf(all, 6, group), index_of(Index::kBanzhaf, transform, group),
                kExact);
}

TEST(AttributionIndices, TheLevelOfAStateIsNoEffect) {
  std::mt19937_64 random(48);
  CoalitionValues values = random_game(8, random);
  const auto drawn = draw_coalitions(8, 8, 1);
  const TriedCoalitions before = tried(values, drawn);
  for (double& value : values) value += 5;
  const TriedCoalitions after = tried(values, drawn);
  for (const Coalition group : {Coalition{0b1}, Coalition{0b110}, Coalition{0b10101}})
    EXPECT_NEAR(*sampled_banzhaf(before, 8, group), *sampled_banzhaf(after, 8, group), kExact);
}

TEST(AttributionIndices, TooFewPairsTellNothing) {
  const TriedCoalitions one = {{0b000001, 1}, {0b111110, 0}};
  EXPECT_TRUE(sampled_banzhaf(one, 6, 0b000001));
  EXPECT_FALSE(sampled_banzhaf(one, 6, 0b000011));
  EXPECT_FALSE(sampled_banzhaf({}, 6, 0b000001));
}

// Eight pairs of the 128 of eight players, drawn 4,000 times: the mean of the estimates is the
// index.
TEST(AttributionIndices, DrawnCoalitionsAreWithoutBias) {
  std::mt19937_64 random(47);
  const CoalitionValues values = random_game(8, random);
  const CoalitionValues transform = moebius(values);
  for (const Coalition group : {Coalition{0b1}, Coalition{0b110}, Coalition{0b10101}}) {
    double sum = 0;
    double squares = 0;
    constexpr int kDraws = 4000;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto drawn = draw_coalitions(8, 8, static_cast<std::uint64_t>(draw));
      const double one = *sampled_banzhaf(tried(values, drawn), 8, group);
      sum += one;
      squares += one * one;
    }
    const double mean = sum / kDraws;
    const double error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, index_of(Index::kBanzhaf, transform, group), 4.5 * error);
  }
}

}  // namespace
}  // namespace kbench
