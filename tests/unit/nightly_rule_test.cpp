// Nights of 250 tasks, generated with the noise that runs of an H200 showed: from run to run most
// speed-ups differ by 0.02 to 0.10 % (standard deviation), one in five by up to 1 %.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "runner/analysis/nightly.hpp"

namespace kbench {
namespace {

constexpr std::size_t kTasks = 250;
constexpr std::size_t kGoodRuns = 5;
constexpr double kLeastOfGpu = 0.001;
constexpr int kNights = 500;

// Normal values, the same in each build: the standard's own distributions are not.
class Noise {
 public:
  explicit Noise(unsigned seed) : bits_(seed) {}
  double uniform() { return static_cast<double>(bits_()) / 4294967296.0; }
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum - 6;
  }
  // Deviation between runs of one task.
  double deviation() {
    const double low = uniform() < 0.8 ? 0.0002 : 0.001;
    const double high = low < 0.001 ? 0.001 : 0.01;
    return low * std::pow(high / low, uniform());
  }

 private:
  std::mt19937 bits_;
};

enum class Remeasured { kInPairs, kAlone };  // with the good source, or today's alone

// How the noise of a task is drawn, what it is to find, and how.
struct Night {
  unsigned seed = 0;
  double planted = 0;  // in one task: how much longer it takes
  Remeasured how = Remeasured::kInPairs;
  bool loud = false;        // all tasks deviate by 1 %
  double disturbances = 0;  // the share of measurements that take 3 % longer for no reason
  std::size_t good_runs = kGoodRuns;
};

struct Outcome {
  bool found = false;
  int false_alarms = 0;
  int suspected = 0;
  int pairs = 0;
};

class Simulation {
 public:
  explicit Simulation(const Night& night) : night_(night), noise_(night.seed) {}

  Outcome run() {
    const auto planted = static_cast<std::size_t>(noise_.uniform() * kTasks);
    struct Suspect {
      std::size_t task;
      double deviation;
      Reference reference;
    };
    std::vector<Suspect> suspects;
    for (std::size_t task = 0; task < kTasks; ++task) {
      const double deviation = night_.loud ? 0.01 : noise_.deviation();
      Reference reference;
      for (std::size_t run = 0; run < night_.good_runs; ++run)
        reference.values.push_back(measured(deviation, 0));
      const double longer = task == planted ? night_.planted : 0;
      if (looks_slower(reference, measured(deviation, longer), rule_))
        suspects.push_back({task, deviation, std::move(reference)});
    }
    Outcome outcome;
    outcome.suspected = static_cast<int>(suspects.size());
    for (const Suspect& one : suspects) {
      const double longer = one.task == planted ? night_.planted : 0;
      if (!confirmed(one.deviation, longer, one.reference, suspects.size(), outcome)) continue;
      (longer > 0 ? outcome.found = true : outcome.false_alarms += 1);
    }
    return outcome;
  }

 private:
  double measured(double deviation, double longer) {
    const bool disturbed = noise_.uniform() < night_.disturbances;
    return 0.3 - std::log1p(longer) + deviation * noise_.normal() - (disturbed ? 0.03 : 0);
  }

  bool confirmed(double deviation, double longer, const Reference& reference, std::size_t suspects,
                 Outcome& outcome) {
    Evidence evidence{.between_runs = kLeastOfGpu};
    if (night_.how == Remeasured::kAlone) evidence.alone = reference;
    auto clearance = Clearance::kOpen;
    while (clearance == Clearance::kOpen) {
      const double good =
          night_.how == Remeasured::kAlone ? reference.level() : measured(deviation, 0);
      evidence.slowdowns.push_back(good - measured(deviation, longer));
      clearance = judge(evidence, rule_, suspects);
      ++outcome.pairs;
    }
    EXPECT_LE(evidence.slowdowns.size(), rule_.most_pairs);
    return clearance == Clearance::kConfirmed;
  }

  Night night_;
  Noise noise_;
  NightlyRule rule_{.flag = default_flag("cuda")};
};

struct Nights {
  int found = 0;
  int with_false_alarm = 0;
  double suspected = 0;  // mean
};

Nights simulate(Night night) {
  Nights nights;
  for (int i = 0; i < kNights; ++i) {
    night.seed = static_cast<unsigned>(i) + 1;
    const Outcome outcome = Simulation(night).run();
    nights.found += outcome.found ? 1 : 0;
    nights.with_false_alarm += outcome.false_alarms > 0 ? 1 : 0;
    nights.suspected += outcome.suspected / static_cast<double>(kNights);
  }
  return nights;
}

TEST(NightlyRule, FindsFivePercentInOneOf250Tasks) {
  EXPECT_GE(simulate({.planted = 0.05}).found, kNights * 95 / 100);
  EXPECT_GE(simulate({.planted = 0.05, .how = Remeasured::kAlone}).found, kNights * 95 / 100);
}

TEST(NightlyRule, FindsItEvenWhereEveryTaskDeviatesByOnePercent) {
  EXPECT_GE(simulate({.planted = 0.05, .loud = true}).found, kNights * 95 / 100);
  EXPECT_GE(simulate({.planted = 0.05, .how = Remeasured::kAlone, .loud = true}).found,
            kNights * 95 / 100);
}

TEST(NightlyRule, HasNoMoreThanOneFalseAlarmInAHundredNights) {
  for (const auto how : {Remeasured::kInPairs, Remeasured::kAlone}) {
    EXPECT_LE(simulate({.how = how}).with_false_alarm, kNights / 100);
    EXPECT_LE(simulate({.how = how, .disturbances = 0.02}).with_false_alarm, kNights / 100);
    EXPECT_LE(simulate({.how = how, .loud = true}).with_false_alarm, kNights / 100);
    EXPECT_LE(simulate({.how = how, .loud = true, .good_runs = 1}).with_false_alarm, kNights / 100);
  }
}

// Pairs are needed: by one look at the clock there would be alarms each week.
TEST(NightlyRule, SomethingIsSuspectedForNothing) {
  EXPECT_GT(simulate({.loud = true}).suspected, 3);
  EXPECT_GT(simulate({}).suspected, 0.05);
}

TEST(NightlyRule, TheReferenceIsAMedian) {
  const Reference reference{{0.30, 0.31, 0.30, -2.0, 0.29}};
  EXPECT_DOUBLE_EQ(reference.level(), 0.30);
  EXPECT_FALSE(looks_slower(reference, 0.30 - 0.0197, {.flag = 0.02}));
  EXPECT_TRUE(looks_slower(reference, 0.30 - 0.0199, {.flag = 0.02}));
  EXPECT_FALSE(looks_slower(reference, 0.9, {.flag = 0.02}));
}

TEST(NightlyRule, WantsThreePairsAndAtMostNine) {
  const NightlyRule rule{.flag = 0.02};
  Evidence evidence{.slowdowns = {0.2, 0.2}, .between_runs = kLeastOfGpu};
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kOpen);
  evidence.slowdowns.push_back(0.2);
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kConfirmed);
  evidence.slowdowns = {0, 0, 0};
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kCleared);
  // Now fast, now slow: nobody knows, and that is no alarm.
  evidence.slowdowns = {0.2, -0.1, 0.15, -0.1, 0.2, -0.1, 0.2, -0.1};
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kOpen);
  evidence.slowdowns.push_back(0.2);
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kUnclear);
  // Nor does a mean below the flag clear what scatters so.
  evidence.slowdowns.back() = -0.2;
  EXPECT_EQ(judge(evidence, rule, 1), Clearance::kUnclear);
}

// One per cent, however surely, is below the flag.
TEST(NightlyRule, WhatIsBelowTheFlagIsCleared) {
  EXPECT_EQ(judge({.slowdowns = {0.0100, 0.0101, 0.0099, 0.0100}, .between_runs = kLeastOfGpu},
                  {.flag = 0.02}, 1),
            Clearance::kCleared);
}

// Where many rows are suspected, one of them is more likely to look so by chance.
TEST(NightlyRule, SharesItsDoubtAmongTheSuspected) {
  const Evidence evidence{.slowdowns = {0.05, 0.04, 0.07, 0.03}, .between_runs = kLeastOfGpu};
  EXPECT_EQ(judge(evidence, {.flag = 0.02, .most_pairs = 4}, 1), Clearance::kUnclear);
  EXPECT_EQ(judge(evidence, {.flag = 0.02, .most_pairs = 4, .doubt = 0.1}, 1),
            Clearance::kConfirmed);
  EXPECT_EQ(judge(evidence, {.flag = 0.02, .most_pairs = 4, .doubt = 0.1}, 100),
            Clearance::kUnclear);
}

// Equal values by chance do not make a scatter of zero.
TEST(NightlyRule, BelievesNoScatterBelowTheCalibrated) {
  const Evidence evidence{.slowdowns = {0.03, 0.03, 0.03}, .between_runs = 0.02};
  EXPECT_EQ(judge(evidence, {.flag = 0.02}, 1), Clearance::kOpen);
  EXPECT_GT(mean_half_width(evidence), 0.05);
  EXPECT_DOUBLE_EQ(mean_slowdown(evidence), 0.03);
}

// Two or three nights tell no level: whatever is measured beside them, nobody is accused by that.
TEST(NightlyRule, ConfirmsNothingByAReferenceOfFewNights) {
  const auto judged = [](std::vector<double> nights) {
    return judge({.slowdowns = {0.30, 0.30, 0.30, 0.30},
                  .alone = {std::move(nights)},
                  .between_runs = kLeastOfGpu},
                 {.flag = 0.02}, 1);
  };
  for (std::size_t nights = 2; nights < kReferenceRuns; ++nights)
    EXPECT_EQ(judged(std::vector<double>(nights, 0.3)), Clearance::kOpen) << nights;
  EXPECT_EQ(judged(std::vector<double>(kReferenceRuns, 0.3)), Clearance::kConfirmed);
}

TEST(NightlyRule, CountsTheScatterOfALoneReference) {
  const Evidence repeats{.slowdowns = {0.03, 0.03, 0.03, 0.03},
                         .alone = {{0.30, 0.32, 0.28, 0.31, 0.29}},
                         .between_runs = kLeastOfGpu};
  EXPECT_EQ(judge(repeats, {.flag = 0.02}, 1), Clearance::kOpen);
  const Evidence pairs{.slowdowns = repeats.slowdowns, .between_runs = kLeastOfGpu};
  EXPECT_EQ(judge(pairs, {.flag = 0.02}, 1), Clearance::kConfirmed);
}

}  // namespace
}  // namespace kbench
