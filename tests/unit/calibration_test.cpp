#include "runner/analysis/calibration.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "runner/analysis/clock_checks.hpp"
#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

// `placements` of `blocks` each; eager takes `ratio` times what the submission does. Blocks lie
// `noise` around that, placements `places` around the run's.
Evaluation run_of(double ratio, int placements, int blocks, double noise = 0, double places = 0,
                  const std::string& device = "cpu") {
  Evaluation evaluation;
  evaluation.device = device;
  evaluation.state = State::kOk;
  for (int block = 0; block < placements * blocks; ++block) {
    const int placement = block / blocks;
    const double apart =
        (block % 2 == 0 ? noise : -noise) + (placement % 2 == 0 ? places : -places);
    evaluation.samples.push_back({.placement = placement,
                                  .block = block,
                                  .side = Side::kEager,
                                  .time_ns = std::llround(10'000'000 * ratio * std::exp(apart))});
    evaluation.samples.push_back(
        {.placement = placement, .block = block, .side = Side::kSubmission, .time_ns = 10'000'000});
  }
  return evaluation;
}

TEST(Calibration, WhatLiesBetweenRunsIsMeasured) {
  const std::vector<EqualRuns> runs{{run_of(0.95, 6, 2), run_of(1.0, 6, 2), run_of(1.05, 6, 2)}};
  EXPECT_NEAR(calibrate(runs, "cpu").between_runs, 0.05, 0.002);
}

TEST(Calibration, WhatTheSamplesExplainIsNotCountedTwice) {
  const std::vector<EqualRuns> runs{{run_of(0.97, 20, 1, 0.2), run_of(1.03, 20, 1, 0.2)}};
  EXPECT_EQ(calibrate(runs, "cpu").between_runs, least_spread("cpu").between_runs);
}

TEST(Calibration, WhatLiesBetweenPlacementsIsMeasured) {
  const Evaluation run = run_of(1, 6, 8, 0, 0.06);
  const std::vector<EqualRuns> runs{{run, run}};
  EXPECT_NEAR(calibrate(runs, "cpu").between_sessions, 0.066, 0.002);  // of six values at 0.06
  EXPECT_EQ(calibrate(runs, "cpu").between_runs, least_spread("cpu").between_runs);
}

TEST(Calibration, OnCudaAPlacementIsABlock) {
  const Evaluation run = run_of(1, 20, 1, 0.01, 0, "cuda");
  EXPECT_EQ(calibrate(std::vector<EqualRuns>{{run, run}}, "cuda").between_sessions, 0);
}

TEST(Calibration, OneRunCalibratesNothing) {
  const Calibration least = calibrate(std::vector<EqualRuns>{{run_of(1, 6, 2)}}, "cpu");
  EXPECT_EQ(least.between_runs, least_spread("cpu").between_runs);
  EXPECT_EQ(least.measured_at, "");
}

ClockCheck check_of(double expected, double seen, double deviation, const char* name = "equal_b") {
  return {.name = name,
          .what = "",
          .expected = expected,
          .seen = seen,
          .deviation = deviation,
          .runs = 5};
}

TEST(BetweenRows, IsWhatAllRunsSawAlike) {
  const std::vector<ClockCheck> checks{check_of(0, 0.004, 0), check_of(1, 1.008, 0, "twice")};
  EXPECT_NEAR(between_rows(checks), 0.004 / std::sqrt(2.0), 1e-9);
}

TEST(BetweenRows, IsNothingWhereTheRunsDifferByMore) {
  EXPECT_EQ(between_rows(std::vector{check_of(0, 0.004, 0.01)}), 0);
  EXPECT_EQ(between_rows({}), 0);
}

TEST(LargestFailedBias, IsRelativeToWhatWasPlanted) {
  std::vector<ClockCheck> checks{check_of(0, 0.02, 0), check_of(1, 0.5, 0, "twice"),
                                 check_of(0, 0.9, 0, "compiled")};
  checks[0].passed = true;
  EXPECT_DOUBLE_EQ(largest_failed_bias(checks), 0.25);
  EXPECT_EQ(largest_failed_bias({}), 0);
}

// The compiled baseline is another program, which may be faster.
TEST(BetweenRows, ComparesRowsAlone) {
  EXPECT_EQ(between_rows(std::vector{check_of(0, 0.02, 0, "compiled")}), 0);
}

TEST(Coverage, CountsTheIntervalsThatHoldTheMedianOfTheOthers) {
  EqualRuns runs{run_of(1.0, 6, 2), run_of(1.001, 6, 2), run_of(1.3, 6, 2)};
  for (Evaluation& run : runs) run.calibration = Calibration{};
  const Coverage found = coverage(std::vector<EqualRuns>{runs});
  EXPECT_EQ(found.total, 3);
  EXPECT_EQ(found.held, 0) << "the others of either of the two include the one that is off";
  runs.push_back(run_of(1.002, 6, 2));
  runs.back().calibration = Calibration{};
  EXPECT_EQ(coverage(std::vector<EqualRuns>{runs}).held, 3);
  EXPECT_NEAR(coverage(std::vector<EqualRuns>{runs}).median_half_width, 1.96 * 0.02, 1e-3);
}

// Two runs agree and one is off by 6 %: fitted to all three, its own interval would grow by what it
// is off, and hold the others.
TEST(Coverage, ARunIsNotJudgedByACalibrationThatWasFittedToIt) {
  std::vector<EqualRuns> runs{{run_of(1.0, 6, 2), run_of(1.0, 6, 2), run_of(1.06, 6, 2)}};
  const Calibration fitted = calibrate(runs, "cpu");
  for (Evaluation& run : runs[0]) run.calibration = fitted;
  EXPECT_EQ(coverage(runs).held, 3);
  calibrate_by_others(runs, "cpu");
  EXPECT_EQ(runs[0][2].calibration->between_runs, least_spread("cpu").between_runs);
  EXPECT_NEAR(runs[0][0].calibration->between_runs, std::log(1.06) / std::sqrt(2), 0.001);
  EXPECT_EQ(coverage(runs).held, 2);
}

// A run that is off by `run` and whose blocks are off by `noise`, both normal deviations of the
// log.
Evaluation drawn_run(std::mt19937_64& random, double run, double noise, int placements,
                     const std::string& device) {
  std::normal_distribution<double> normal;
  const double off = run * normal(random);
  Evaluation evaluation = run_of(1, placements, 1, 0, 0, device);
  for (Sample& sample : evaluation.samples)
    if (sample.side == Side::kEager)
      sample.time_ns = std::llround(10'000'000 * std::exp(off + noise * normal(random)));
  return evaluation;
}

// How often the interval of a run holds the true ratio, after a calibration by such runs.
double held(double run, double noise, int placements, const std::string& device) {
  std::mt19937_64 random(1);
  std::vector<EqualRuns> runs(100);
  for (EqualRuns& equal : runs)
    for (int i = 0; i < 5; ++i) equal.push_back(drawn_run(random, run, noise, placements, device));
  const Calibration calibration = calibrate(runs, device);
  constexpr int kRuns = 1000;
  int holds = 0;
  for (int i = 0; i < kRuns; ++i) {
    Evaluation next = drawn_run(random, run, noise, placements, device);
    next.calibration = calibration;
    const auto ratio = speedup(next, Side::kEager, Side::kSubmission);
    holds += ratio && ratio->low <= 1 && 1 <= ratio->high ? 1 : 0;
  }
  return static_cast<double>(holds) / kRuns;
}

// The half-width of few placements is wider than 1.96 standard errors, so too much is taken off.
// The interval of the next run adds the same half-width again.
TEST(Calibration, IntervalsHoldWhateverTheShareOfTheRun) {
  for (const double noise : {0.002, 0.02, 0.05})
    for (const int placements : {6, 10, 20})
      for (const std::string device : {"cpu", "cuda"}) {
        const double share = held(0.03, noise, placements, device);
        EXPECT_GE(share, 0.93) << noise << " " << placements << " " << device;
        EXPECT_LE(share, 0.99) << noise << " " << placements << " " << device;
      }
}

// A run of selftest's submissions: each takes what it should, times `clock`.
std::vector<Evaluation> selftest_run(double clock_error = 0) {
  std::vector<Evaluation> run;
  for (const Planted& one : planted()) {
    const double longer = one.percent / 100.0 + one.spin_us / 10'000.0;  // relu takes 10 ms
    const double seen = 1 + (longer - 1) * (1 + clock_error);
    run.push_back(run_of(1 / seen, 6, 2));
    run.back().submission = SubmissionId{.agent = "clock", .variant = std::string(one.variant)};
  }
  for (Evaluation& evaluation : run)
    for (std::size_t i = 0, n = evaluation.samples.size(); i < n; ++i)
      if (evaluation.samples[i].side == Side::kSubmission) {
        Sample compiled = evaluation.samples[i];
        compiled.side = Side::kCompiled;
        evaluation.samples.push_back(compiled);
      }
  return run;
}

TEST(ClockChecks, AClockThatIsRightPasses) {
  const std::vector<std::vector<Evaluation>> runs{selftest_run(), selftest_run()};
  const auto checks = check_clock(runs, "cpu");
  ASSERT_EQ(checks.size(), expected_checks("cpu"));
  for (const ClockCheck& check : checks) {
    EXPECT_TRUE(check.passed) << check.name << " " << check.bias();
    EXPECT_NEAR(check.bias(), 0, 1e-6) << check.name;
    EXPECT_EQ(check.runs, 2);
    EXPECT_EQ(check.found, check.expected > 0 ? 2 : 0) << check.name;
  }
}

TEST(ClockChecks, AClockThatHidesATenthIsNoticed) {
  const std::vector<std::vector<Evaluation>> runs{selftest_run(-0.1)};
  for (const ClockCheck& check : check_clock(runs, "cuda"))
    EXPECT_EQ(check.passed, check.expected < 0.06) << check.name;
}

TEST(ClockChecks, WhatWasNotMeasuredIsMissing) {
  auto run = selftest_run();
  run[3].state = State::kTimeout;
  const std::vector<std::vector<Evaluation>> runs{run};
  EXPECT_EQ(check_clock(runs, "cuda").size(), expected_checks("cuda") - 1);
}

}  // namespace
}  // namespace kbench
