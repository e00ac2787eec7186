// Simulated studies, of which the truth is known: how often intervals cover it, and how often tests
// reject where there is nothing. Outcomes are Bernoulli's; the effects of a state differ from the
// population's by SD 0.08.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "runner/attribution/comparisons.hpp"
#include "runner/attribution/estimate.hpp"
#include "runner/attribution/indices.hpp"
#include "runner/attribution/sampled.hpp"

namespace kbench::test {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low = 0, double high = 1) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline double normal(Random& random) { return std::normal_distribution<double>()(random); }

// A uniform effect with mean 0 and SD 0.08, hence bounded: no probability below leaves [0, 1].
inline double own_effect(Random& random) {
  const double reach = 0.08 * std::sqrt(3.0);
  return uniform(random, -reach, reach);
}

// How the outcomes of a state depend on each other.
enum class Dependence {
  kNone,
  kCopies,      // the replicates repeat the first
  kCorrelated,  // 0.9 between all cells of a state
  kPlans,       // five codes share a plan
};

// Effects of three components in the population: by coalition, the coefficient of Π x_i with x_i =
// ±½, which is what Banzhaf's index of that group is. Of no components: the mean outcome.
using Planted = std::array<double, 8>;
inline constexpr Planted kPlanted = {0.33, 0.10, 0.05, 0.10, 0, 0, -0.05, 0.1};

struct StateDesign {
  Planted planted = kPlanted;
  int replicates = 1;
  Dependence dependence = Dependence::kNone;
};

inline double probability(const Planted& effects, Coalition coalition) {
  double sum = 0;
  for (Coalition group = 0; group < effects.size(); ++group) {
    const double sign = size_of(group & ~coalition) % 2 == 0 ? 1 : -1;
    sum += effects[group] * sign * std::ldexp(1.0, -size_of(group));
  }
  return sum;
}

// Mean outcome of one coalition in one state. `common` is the state's luck.
inline double mean_outcome(double p, const StateDesign& design, double common, Random& random) {
  const auto normal_cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  double sum = 0;
  bool first = false;
  for (int replicate = 0; replicate < design.replicates; ++replicate) {
    switch (design.dependence) {
      case Dependence::kNone: sum += uniform(random) < p ? 1 : 0; break;
      case Dependence::kCopies:
        if (replicate == 0) first = uniform(random) < p;
        sum += first ? 1 : 0;
        break;
      case Dependence::kCorrelated: {
        const double luck = std::sqrt(0.9) * common + std::sqrt(0.1) * normal(random);
        sum += normal_cdf(luck) < p ? 1 : 0;
        break;
      }
      case Dependence::kPlans: {
        // A plan is good or bad for all of its codes: p ± 0.04 … 0.96 of the way to 0 or 1.
        const double of_plan = uniform(random) < p ? p + 0.4 * (1 - p) : p - 0.4 * p;
        for (int code = 0; code < 5; ++code) sum += uniform(random) < of_plan ? 0.2 : 0;
        break;
      }
    }
  }
  return sum / design.replicates;
}

// The transform of one state's mean outcomes.
inline CoalitionValues simulated_state(const StateDesign& design, Random& random) {
  Planted effects = design.planted;
  for (const Coalition one : {1u, 2u, 4u}) effects[one] += own_effect(random);
  const double common = normal(random);
  CoalitionValues values(8);
  for (Coalition at = 0; at < 8; ++at)
    values[at] = mean_outcome(probability(effects, at), design, common, random);
  return moebius(std::move(values));
}

inline std::vector<CoalitionValues> simulated_study(int units, const StateDesign& design,
                                                    Random& random) {
  std::vector<CoalitionValues> states;
  for (int unit = 0; unit < units; ++unit) states.push_back(simulated_state(design, random));
  return states;
}

inline Estimate banzhaf_over(const std::vector<CoalitionValues>& states, Coalition group) {
  std::vector<double> effects;
  for (const CoalitionValues& state : states)
    effects.push_back(index_of(Index::kBanzhaf, state, group));
  return estimate(effects);
}

// Results of many estimates of one truth.
struct Coverage {
  double truth = 0;
  int studies = 0;
  int covered = 0;
  int without = 0;  // studies without an interval
  int rejected = 0;
  double sum = 0;
  double squares = 0;
  double half_widths = 0;

  void add(const Estimate& one) {
    ++studies;
    sum += one.mean;
    squares += one.mean * one.mean;
    if (!one.interval) {
      ++without;
      return;
    }
    covered += one.interval->contains(truth) ? 1 : 0;
    rejected += *one.p < 0.05 ? 1 : 0;
    half_widths += (one.interval->high - one.interval->low) / 2;
  }
  [[nodiscard]] double share() const { return static_cast<double>(covered) / (studies - without); }
  [[nodiscard]] double rejections() const { return static_cast<double>(rejected) / studies; }
  [[nodiscard]] double half_width() const { return half_widths / (studies - without); }
  // Bias in standard errors of the simulation.
  [[nodiscard]] double bias() const {
    const double mean = sum / studies;
    const double error = std::sqrt((squares / studies - mean * mean) / studies);
    return (mean - truth) / error;
  }
};

inline Coverage coverage_of(Coalition group, int units, const StateDesign& design, int studies,
                            std::uint64_t seed) {
  Random random(seed);
  Coverage found{.truth = design.planted[group]};
  for (int study = 0; study < studies; ++study)
    found.add(banzhaf_over(simulated_study(units, design, random), group));
  return found;
}

// Eight components of which 16 coalitions a state are drawn, each tried once; the effect of the
// first is 0.1, and 0.1 is what the first two do together.
inline Coverage drawn_coverage(Coalition group, int units, int studies, std::uint64_t seed) {
  constexpr int kPlayers = 8;
  Random random(seed);
  Coverage found{.truth = 0.1};
  for (int study = 0; study < studies; ++study) {
    std::vector<double> effects;
    for (int unit = 0; unit < units; ++unit) {
      const double own = own_effect(random);
      TriedCoalitions tried;
      for (const Coalition at : draw_coalitions(kPlayers, 8, random())) {
        const double first = (at & 1u) != 0 ? 0.5 : -0.5;
        const double second = (at & 2u) != 0 ? 0.5 : -0.5;
        const double p = 0.4 + (0.1 + own) * first + 0.1 * first * second;
        tried.emplace(at, uniform(random) < p ? 1 : 0);
      }
      effects.push_back(*sampled_banzhaf(tried, kPlayers, group));
    }
    found.add(estimate(effects));
  }
  return found;
}

// Mean of Bernoulli outcomes, as of an arm in a state.
inline double tries(double p, int count, Random& random) {
  double sum = 0;
  for (int at = 0; at < count; ++at) sum += uniform(random) < p ? 1 : 0;
  return sum / count;
}

// An arm against another: `effect` on average, differing by SD 0.08.
inline Coverage arm_coverage(double effect, int units, int replicates, int studies,
                             std::uint64_t seed) {
  Random random(seed);
  Coverage found{.truth = effect};
  for (int study = 0; study < studies; ++study) {
    std::vector<double> effects;
    for (int unit = 0; unit < units; ++unit) {
      const double base = uniform(random, 0.25, 0.45);
      const double with = base + effect + (effect == 0 ? 0 : own_effect(random));
      effects.push_back(tries(with, replicates, random) - tries(base, replicates, random));
    }
    found.add(estimate(effects));
  }
  return found;
}

struct TransferCoverage {
  Coverage gain;
  int bounded = 0;
  int covered = 0;          // number of the bounded
  int wrongly_bounded = 0;  // though the gap's own interval includes 0
};

// A weak coder's own plans, the strong planner's plans, and the strong model alone, whose gap is
// `gap`.
inline TransferCoverage transfer_coverage(double gain, double gap, int units, int replicates,
                                          int studies, std::uint64_t seed) {
  Random random(seed);
  TransferCoverage found{.gain = {.truth = gain}};
  for (int study = 0; study < studies; ++study) {
    std::vector<double> gains;
    std::vector<double> gaps;
    for (int unit = 0; unit < units; ++unit) {
      const double base = uniform(random, 0.25, 0.35);
      const double better = own_effect(random);
      const double own = tries(base, replicates, random);
      gains.push_back(tries(base + gain + better, replicates, random) - own);
      gaps.push_back(tries(base + gap + better, replicates, random) - own);
    }
    found.gain.add(estimate(gains));
    const auto share = fieller(gains, gaps);
    if (!share || !share->interval) continue;
    ++found.bounded;
    found.covered += share->interval->contains(gain / gap) ? 1 : 0;
    const Estimate of_gap = estimate(gaps);
    found.wrongly_bounded += !of_gap.interval || of_gap.interval->contains(0) ? 1 : 0;
  }
  return found;
}

// A success raises the next chance by 0.06, a failure lowers it by 0.02.
inline double drifted(double chance, bool good) {
  return std::min(std::max(chance + (good ? 0.06 : -0.02), 0.02), 0.98);
}

// Outcomes of a chain that drifts; `effect` is what a component adds to each step.
inline std::vector<double> drifting_chain(int steps, double start, double effect, Random& random) {
  std::vector<double> outcomes;
  double chance = start;
  for (int step = 0; step < steps; ++step) {
    const bool good = uniform(random) < std::min(chance + effect, 0.98);
    outcomes.push_back(good ? 1 : 0);
    chance = drifted(chance, good);
  }
  return outcomes;
}

}  // namespace kbench::test
