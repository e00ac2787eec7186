#include "reports/rank/score.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/rank/best_of.hpp"
#include "reports/rank/ranking.hpp"
#include "runner/analysis/speedup.hpp"
#include "tests/unit/score_fixture.hpp"

namespace kbench {
namespace {

using test::failed;
using test::solved;

double score_of(const std::vector<ResultRow>& rows, Score score,
                VariantRule rule = VariantRule::kBest) {
  return rank_agents(rows, {.rule = rule, .redrawings = 0}).at(0).of(score).value().estimate;
}

ResultRow variant(ResultRow row, std::string name) {
  row.variant = std::move(name);
  row.submission += "@" + row.variant;
  return row;
}

// A node died after it had measured and before it had published: the row of the run in its place
// counts, whichever comes first. One task of an agent was lost by that.
TEST(Score, ARowThatAnotherRunHadAnsweredTakesNoPlace) {
  ResultRow again = solved("a", 1, 4);
  again.labels = "again";
  again.credit.unranked = "again: run 777777777777 had published its answer to this request";
  const std::vector<std::vector<ResultRow>> orders{{again, solved("a", 1, 2), solved("a", 2, 2)},
                                                   {solved("a", 1, 2), again, solved("a", 2, 2)}};
  for (const auto& rows : orders)
    for (const VariantRule rule : {VariantRule::kBest, VariantRule::kFirst, VariantRule::kMean}) {
      const AgentScore score = rank_agents(rows, {.rule = rule, .redrawings = 0}).at(0);
      EXPECT_EQ(score.correct, 2);
      EXPECT_EQ(score.variants, 1);
      EXPECT_NEAR(score.of(Score::kMeanEager).value().estimate, 2, 1e-12);
      EXPECT_EQ(best_row(rows, "a", again.task, again.size, rule)->labels, "");
    }
}

// The page gave ranks with ranges beside a share of the limit without an interval.
TEST(Score, TheMedianShareOfTheLimitHasTheIntervalOfItsTasks) {
  std::vector<ResultRow> rows;
  for (int task = 1; task <= 6; ++task) {
    rows.push_back(solved("a", task, 2));
    rows.back().floor_ns = *rows.back().submitted.median_ns * task / 10;
  }
  const auto value = [&] {
    return rank_agents(rows, {.redrawings = 0}).at(0).of(Score::kShareOfLimit).value();
  };
  EXPECT_NEAR(value().estimate, 0.35, 1e-12);
  EXPECT_NEAR(value().low, 0.1, 1e-12) << "six tasks: the whole range is 97 %";
  EXPECT_NEAR(value().high, 0.6, 1e-12);
  rows.pop_back();
  EXPECT_EQ(value().low, 0) << "five tasks bound nothing with 95 %";
  EXPECT_EQ(value().high, 1);
}

TEST(Score, ClosedFormOfEveryScore) {
  std::vector<ResultRow> rows{solved("a", 1, 2, 0.5), solved("a", 2, 4, 4),
                              solved("a", 3, 1.005, 0.25), failed("a", 4)};
  ResultRow missing = solved("nobody", 5, 1);
  missing.has_submission = false;
  missing.state = State::kNoSubmission;
  rows.push_back(missing);
  rows[0].floor_ns = *rows[0].submitted.median_ns / 2;
  rows[1].floor_ns = *rows[1].submitted.median_ns / 4;
  rows[2].floor_ns = *rows[2].submitted.median_ns;
  rows[3].compiled.median_ns = 1e6;
  const double missed = 2 * std::log(0.1);
  const double eager = std::log(2 * 4 * 1.005);

  EXPECT_DOUBLE_EQ(score_of(rows, Score::kCoverage), 4 / 5.0);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kCorrectness), 3 / 5.0);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kFastEager), 3 / 5.0);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kSureFastEager), 2 / 5.0)
      << "the third's low end is below 1";
  EXPECT_NEAR(score_of(rows, Score::kMeanEager), std::exp((eager + missed) / 5), 1e-12);
  EXPECT_NEAR(score_of(rows, Score::kCorrectMeanEager), std::exp(eager / 3), 1e-12);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kMilestone), (2 + 3 + 1 - 1 - 1) / 5.0);
  // The fifth task has no compiled baseline, and counts in no score against it.
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kFastCompiled), 1 / 4.0);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kSureFastCompiled), 1 / 4.0);
  EXPECT_NEAR(score_of(rows, Score::kMeanCompiled),
              std::exp((std::log(0.5 * 4 * 0.25) + std::log(0.1)) / 4), 1e-12);
  EXPECT_NEAR(score_of(rows, Score::kCorrectMeanCompiled), std::exp(std::log(0.5) / 3), 1e-12);
  // No limit is known of the last two. Of the fifth, because nobody submitted: it is not reached.
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kShareOfLimit), (0.25 + 0.5) / 2);
}

ResultRow beside_vendor(ResultRow row, double over_vendor) {
  row.vendor.median_ns = 1e6;
  row.over_vendor = test::sure_speedup(over_vendor);
  return row;
}

// Not every task is a call of a library: one without its time is neither a success nor a failure.
TEST(Score, OverTheVendorOnlyTasksWithItsTimeCount) {
  std::vector<ResultRow> rows{beside_vendor(solved("a", 1, 3), 2),
                              beside_vendor(solved("a", 2, 3), 0.5), solved("a", 3, 3),
                              failed("a", 4)};
  const auto scores = rank_agents(rows).at(0);
  EXPECT_DOUBLE_EQ(scores.of(Score::kSureFastVendor)->estimate, 1 / 2.0);
  EXPECT_DOUBLE_EQ(scores.of(Score::kFastVendor)->estimate, 1 / 2.0);
  EXPECT_NEAR(scores.of(Score::kMeanVendor)->estimate, 1, 1e-12);
  EXPECT_NEAR(scores.of(Score::kCorrectMeanVendor)->estimate, 1, 1e-12);
  EXPECT_EQ(scores.of(Score::kSureFastVendor)->tasks, 2);
  EXPECT_EQ(scores.of(Score::kSureFastEager)->tasks, 4);

  // Somebody else's rows show that the other two are such calls: failing there is a failure.
  rows.push_back(beside_vendor(solved("b", 3, 3), 4));
  rows.push_back(beside_vendor(solved("b", 4, 3), 4));
  for (const AgentScore& score : rank_agents(rows)) {
    if (score.agent != "a") continue;
    EXPECT_EQ(score.of(Score::kSureFastVendor)->tasks, 3);
    EXPECT_DOUBLE_EQ(score.of(Score::kSureFastVendor)->estimate, 1 / 3.0);
  }
  EXPECT_FALSE(rank_agents(std::vector{solved("a", 1, 3)}).at(0).of(Score::kSureFastVendor));
}

// 128 measurements of kernels as fast as eager. Chosen with its interval as it is, the best of them
// is surely faster in nearly every draw.
TEST(Score, TheLuckiestOfManyEqualKernelsIsNotSurelyFaster) {
  constexpr int kDraws = 2000;
  constexpr double kDeviation = 0.01;
  std::vector<ResultRow> rows;
  for (int i = 0; i < 128; ++i) rows.push_back(variant(solved("a", 1, 1), std::to_string(i)));
  std::mt19937 generator(7);
  std::normal_distribution<double> luck;
  int sure = 0;
  int sure_as_they_are = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (ResultRow& row : rows) {
      const double log = kDeviation * luck(generator);
      row.over_eager->estimate = std::exp(log);
      row.over_eager->low = std::exp(log - kNormal95 * kDeviation);
      row.over_eager->high = std::exp(log + kNormal95 * kDeviation);
    }
    const Standing standing = standings(rows, "a").at(0);
    EXPECT_EQ(standing.best_of, 128U);
    sure += outcome_of(*standing.rows[0], standing.best_of).eager->log_low > 0 ? 1 : 0;
    sure_as_they_are += outcome_of(*standing.rows[0]).eager->log_low > 0 ? 1 : 0;
  }
  EXPECT_LE(sure, kDraws / 20);
  EXPECT_GE(sure_as_they_are, kDraws / 2);
}

// A measurement of a kernel as fast as eager on a calibrated CPU, whose runs and placements differ
// by what the calibration says.
Evaluation equal_run(std::mt19937& generator) {
  constexpr int kPlacements = 18;
  Evaluation evaluation;
  evaluation.device = "cpu";
  evaluation.calibration = Calibration{.between_sessions = 0.03, .between_runs = 0.02};
  std::normal_distribution<double> luck;
  const double run = evaluation.calibration->between_runs * luck(generator);
  for (int block = 0; block < kPlacements; ++block) {
    const double place = evaluation.calibration->between_sessions * luck(generator);
    for (const Side side : {Side::kEager, Side::kSubmission}) {
      const double own = side == Side::kSubmission ? run + place : 0;
      const double time = 1e6 * std::exp(own + 0.01 * luck(generator));
      evaluation.samples.push_back({.placement = block,
                                    .block = block,
                                    .side = side,
                                    .time_ns = static_cast<std::int64_t>(time)});
    }
  }
  return evaluation;
}

// The same from samples on, by the analysis that rows go through. KBENCH_LOTTERY_DRAWS says how
// often; 2,000 take 10 s.
TEST(Score, TheLuckiestOfManyEqualMeasurementsIsNotSurelyFaster) {
  const char* asked = std::getenv("KBENCH_LOTTERY_DRAWS");
  const int draws = asked != nullptr ? std::atoi(asked) : 60;
  std::vector<ResultRow> rows;
  for (int i = 0; i < 128; ++i) rows.push_back(variant(solved("a", 1, 1), std::to_string(i)));
  std::mt19937 generator(11);
  int sure = 0;
  int sure_as_they_are = 0;
  for (int draw = 0; draw < draws; ++draw) {
    for (ResultRow& row : rows)
      row.over_eager = speedup(equal_run(generator), Side::kEager, Side::kSubmission);
    const Standing standing = standings(rows, "a").at(0);
    sure += outcome_of(*standing.rows[0], standing.best_of).eager->log_low > 0 ? 1 : 0;
    sure_as_they_are += outcome_of(*standing.rows[0]).eager->log_low > 0 ? 1 : 0;
  }
  std::printf("surely faster: %d of %d, %d without the correction\n", sure, draws,
              sure_as_they_are);
  EXPECT_LE(sure, draws / 20);
  EXPECT_GE(sure_as_they_are, draws / 2);
}

TEST(Score, WhoeverHandsInOneKernelIsNotWidened) {
  EXPECT_DOUBLE_EQ(widening(0), 0);
  EXPECT_DOUBLE_EQ(widening(1), 0);
  EXPECT_NEAR(widening(2), 2.2414 - kNormal95, 1e-4) << "the 98.75 % quantile";
  EXPECT_EQ(widenings(3).size(), 4U);
  std::vector<ResultRow> rows{solved("a", 1, 2), variant(failed("a", 1), "wrong")};
  EXPECT_EQ(standings(rows, "a").at(0).best_of, 1U) << "what is wrong cannot be chosen";
  rows.push_back(variant(solved("a", 1, 2), "again"));
  EXPECT_EQ(standings(rows, "a").at(0).best_of, 2U);
  EXPECT_EQ(standings(rows, "a", VariantRule::kFirst).at(0).best_of, 1U);
}

TEST(Score, OneRowDecidesNoMean) {
  EXPECT_NEAR(score_of({solved("a", 1, 1e6)}, Score::kMeanEager), 100, 1e-9);
  EXPECT_NEAR(score_of({solved("a", 1, 1e-6)}, Score::kMeanEager), 0.1, 1e-12);
  EXPECT_NEAR(score_of({solved("a", 1, 1e6)}, Score::kCorrectMeanEager), 1e6, 1e-3);
}

TEST(Score, NothingIsSureWithoutAVerdict) {
  ResultRow row = solved("a", 1, 3);
  row.over_eager->verdict = Verdict::kNone;
  EXPECT_DOUBLE_EQ(score_of({row}, Score::kSureFastEager), 0);
  EXPECT_DOUBLE_EQ(score_of({row}, Score::kFastEager), 1);
}

// Was: 0.1×, the mean of the failures alone, and 0 % of the limit, for whom nothing solved counted.
TEST(Score, FailuresAloneAreNoScoreOfWhatIsSolved) {
  ResultRow uncredited = solved("a", 1, 3);
  uncredited.credit.uncredited = "not calibrated";
  const ResultRow missed = failed("a", 2);
  ResultRow limited = uncredited;
  limited.limit_ns = 1e5;
  for (const auto& score : rank_agents(std::vector{limited, missed, failed("b", 1)})) {
    EXPECT_FALSE(score.of(Score::kMeanEager)) << score.agent << ": nobody's time counts";
    EXPECT_FALSE(score.of(Score::kCorrectMeanEager));
    EXPECT_FALSE(score.of(Score::kShareOfLimit));
    EXPECT_DOUBLE_EQ(score.of(Score::kMilestone)->estimate, score.agent == "a" ? 0 : -1);
  }
  // Beside somebody whose times count, who only failed has a score all the same.
  for (const auto& score :
       rank_agents(std::vector{uncredited, missed, solved("b", 1, 3), failed("c", 1)})) {
    EXPECT_EQ(score.of(Score::kMeanEager).has_value(), score.agent != "a") << score.agent;
  }
  EXPECT_NEAR(score_of({missed}, Score::kMeanEager), 0.1, 1e-12) << "nothing was solved";
}

TEST(Score, WhatIsFastButWrongOrSuspectScoresNothing) {
  for (const State state : {State::kWrongResult, State::kSuspect, State::kTimingInconsistent}) {
    ResultRow row = solved("a", 1, 50);
    row.state = state;
    for (const Score score : {Score::kCorrectness, Score::kFastEager, Score::kSureFastEager})
      EXPECT_DOUBLE_EQ(score_of({row}, score), 0) << to_string(state);
    EXPECT_NEAR(score_of({row}, Score::kMeanEager), 0.1, 1e-12);
    EXPECT_DOUBLE_EQ(score_of({row}, Score::kMilestone), -1);
    EXPECT_FALSE(rank_agents(std::vector{row}).at(0).of(Score::kCorrectMeanEager));
  }
}

// One file under two names: the luckier estimate is the one with the wider interval.
TEST(Score, OfTwoVariantsTheBetterLowEndCountsAndNotTheLuckierEstimate) {
  ResultRow steady = variant(solved("a", 1, 1.42), "one");
  ResultRow lucky = variant(solved("a", 1, 1.74), "two");
  lucky.over_eager->low = 1.1;
  const std::vector<ResultRow> rows{lucky, steady};
  EXPECT_EQ(best_row(rows, "a", "level1/1", "small")->variant, "one");
  EXPECT_NEAR(score_of(rows, Score::kMeanEager), 1.42, 1e-9);
  EXPECT_NEAR(score_of(rows, Score::kMeanEager, VariantRule::kFirst), 1.42, 1e-9);
  EXPECT_NEAR(score_of(rows, Score::kMeanEager, VariantRule::kMean), std::sqrt(1.42 * 1.74), 1e-9);
  EXPECT_EQ(rank_agents(rows).at(0).variants, 2);
}

TEST(Score, ACorrectVariantComesBeforeAWrongOneAndTheMeanCountsBoth) {
  const std::vector<ResultRow> rows{variant(failed("a", 1), "one"),
                                    variant(solved("a", 1, 0.5), "two")};
  EXPECT_EQ(best_row(rows, "a", "level1/1", "small")->variant, "two");
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kCorrectness), 1);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kCorrectness, VariantRule::kFirst), 0);
  EXPECT_DOUBLE_EQ(score_of(rows, Score::kCorrectness, VariantRule::kMean), 0.5);
  EXPECT_NEAR(score_of(rows, Score::kCorrectMeanEager, VariantRule::kMean), 0.5, 1e-12);
}

TEST(Score, TasksThatTellNothingCountNowhere) {
  std::vector<ResultRow> rows{solved("a", 1, 2), solved("a", 2, 100)};
  rows[1].credit.unranked = "zeros pass";
  const AgentScore score = rank_agents(rows).at(0);
  EXPECT_EQ(score.tasks, 1);
  EXPECT_EQ(score.submitted, 1);
  EXPECT_NEAR(score.value(Score::kMeanEager), 2, 1e-9);

  rows.erase(rows.begin());
  const AgentScore nothing = rank_agents(rows).at(0);
  EXPECT_EQ(nothing.tasks, 0);
  EXPECT_FALSE(nothing.of(Score::kMeanEager));
}

TEST(Score, WhoSubmittedForAnotherDeviceOnlyIsNotRanked) {
  EXPECT_THAT(rank_agents(std::vector{solved("a", 1, 2), failed("b", 1, State::kSkipped)}),
              ::testing::ElementsAre(::testing::Field(&AgentScore::agent, "a")));
}

// Level by level what CUDA Agent publishes of itself (arXiv 2602.24286, Table 1): pass rate, faster
// than eager, than compiled, and both geometric means over what passes; from rows that have them.
struct PublishedLevel {
  int tasks, passed, over_eager, over_compiled;
  double mean_eager, mean_compiled;
};
constexpr PublishedLevel kPublished[] = {
    {100, 100, 99, 97, 2.48, 1.87}, {100, 100, 100, 100, 3.27, 2.80}, {50, 47, 47, 45, 1.80, 1.52}};

// `fast` rows above 1, the others just below, with the geometric mean asked for over all of them.
double ratio_of(int row, int rows, int fast, double mean) {
  constexpr double kSlow = 0.9;
  const double rest = std::log(mean) * rows - std::log(kSlow) * (rows - fast);
  return row < fast ? std::exp(rest / fast) : kSlow;
}

std::vector<ResultRow> rows_like(const PublishedLevel& level) {
  std::vector<ResultRow> rows;
  for (int task = 0; task < level.tasks; ++task) {
    ResultRow row = failed("agent", task);
    if (task < level.passed)
      row = solved("agent", task, ratio_of(task, level.passed, level.over_eager, level.mean_eager),
                   ratio_of(task, level.passed, level.over_compiled, level.mean_compiled));
    row.compiled.median_ns = 1e6;
    rows.push_back(row);
  }
  return rows;
}

TEST(Score, APublishedTableFollowsFromRowsLikeIts) {
  double tasks = 0;
  double passed = 0;
  double over_compiled = 0;
  double logs = 0;
  for (const PublishedLevel& level : kPublished) {
    const std::vector<ResultRow> rows = rows_like(level);
    EXPECT_NEAR(score_of(rows, Score::kCorrectness), 1.0 * level.passed / level.tasks, 1e-12);
    EXPECT_NEAR(score_of(rows, Score::kFastEager), 1.0 * level.over_eager / level.tasks, 1e-12);
    EXPECT_NEAR(score_of(rows, Score::kFastCompiled), 1.0 * level.over_compiled / level.tasks,
                1e-12);
    EXPECT_NEAR(score_of(rows, Score::kCorrectMeanEager), level.mean_eager, 1e-9);
    EXPECT_NEAR(score_of(rows, Score::kCorrectMeanCompiled), level.mean_compiled, 1e-9);
    tasks += level.tasks;
    passed += score_of(rows, Score::kCorrectness) * level.tasks;
    over_compiled += score_of(rows, Score::kFastCompiled) * level.tasks;
    logs += std::log(score_of(rows, Score::kCorrectMeanCompiled)) * level.tasks;
  }
  EXPECT_NEAR(100 * passed / tasks, 98.8, 0.05);
  EXPECT_NEAR(100 * over_compiled / tasks, 96.8, 0.05);
  EXPECT_NEAR(std::exp(logs / tasks), 2.11, 0.005);
}

}  // namespace
}  // namespace kbench
