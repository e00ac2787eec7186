#include "runner/analysis/speedup.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// `placements` placements of one block each, eager twice as slow as the submission.
std::vector<Sample> two_to_one(int placements) {
  std::vector<Sample> samples;
  for (int p = 0; p < placements; ++p) {
    for (int visit = 0; visit < 2; ++visit) {
      samples.push_back(
          {.placement = p, .block = p, .visit = visit, .side = Side::kEager, .time_ns = 2000 + p});
      samples.push_back({.placement = p,
                         .block = p,
                         .visit = visit,
                         .side = Side::kSubmission,
                         .time_ns = 1000 + p});
    }
  }
  return samples;
}

TEST(Speedup, IsBaselineOverCandidate) {
  const auto result = speedup(two_to_one(9), Side::kEager, Side::kSubmission, 0.01);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->estimate, 2.0, 0.01);
  EXPECT_EQ(result->verdict, Verdict::kFaster);
  EXPECT_EQ(result->units, 9);
}

TEST(Speedup, EachEndIsAnOrderStatisticOfItsOwn) {
  std::vector<Sample> samples = two_to_one(6);
  for (Sample& sample : samples)
    sample.time_ns = sample.side == Side::kSubmission ? 1000 : sample.block == 5 ? 6000 : 2000;
  const auto result = speedup(samples, Side::kEager, Side::kSubmission, 0.01);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->low, 2, 1e-9);
  EXPECT_NEAR(result->high, 6, 1e-9) << "one placement of six was luckier";
}

// An evaluation on a CPU, with so many blocks at each placement, all of them two to one.
Evaluation measured_at(int placements, int blocks_each) {
  Evaluation evaluation;
  evaluation.device = "cpu";
  evaluation.calibration = Calibration{.between_sessions = 0.03, .between_runs = 0.02};
  for (int block = 0; block < placements * blocks_each; ++block)
    for (const Side side : {Side::kEager, Side::kSubmission})
      evaluation.samples.push_back({.placement = block / blocks_each,
                                    .block = block,
                                    .side = side,
                                    .time_ns = side == Side::kEager ? 200'000 : 100'000});
  return evaluation;
}

double half_width_of(const Evaluation& evaluation) {
  const auto ratio = speedup(evaluation, Side::kEager, Side::kSubmission);
  return std::log(ratio.value().high / ratio->estimate);
}

TEST(Speedup, OfOnePlacementTheBlocksAreUnitsAndTheCalibrationTellsTheRest) {
  const Evaluation quick = measured_at(1, 8);
  EXPECT_EQ(speedup(quick, Side::kEager, Side::kSubmission)->units, 8);
  EXPECT_EQ(speedup(quick, Side::kEager, Side::kSubmission)->verdict, Verdict::kFaster);
  EXPECT_NEAR(half_width_of(quick), 1.96 * std::hypot(0.03, 0.02), 1e-9);
}

TEST(Speedup, MorePlacementsNeedLessOfTheCalibration) {
  EXPECT_NEAR(half_width_of(measured_at(4, 8)), 1.96 * std::hypot(0.03 / 2, 0.02), 1e-9);
  EXPECT_NEAR(half_width_of(measured_at(6, 8)), 1.96 * 0.02, 1e-9) << "they tell it themselves";
}

TEST(Speedup, NoCalibrationIsBetterThanThisKindOfDevice) {
  Evaluation lucky = measured_at(1, 8);
  lucky.calibration = Calibration{};
  EXPECT_NEAR(half_width_of(lucky), 1.96 * std::hypot(0.02, 0.02), 1e-9);
}

TEST(Speedup, WithoutACalibrationThereIsNoVerdict) {
  Evaluation uncalibrated = measured_at(6, 8);
  uncalibrated.calibration.reset();
  const auto ratio = speedup(uncalibrated, Side::kEager, Side::kSubmission);
  EXPECT_EQ(ratio->verdict, Verdict::kNone);
  EXPECT_FALSE(ratio->calibrated);
  EXPECT_NE(doubts_of(uncalibrated).words().find("calibrated"), std::string::npos);
  EXPECT_EQ(doubts_of(measured_at(6, 8)).words(), "");
}

TEST(Speedup, TooFewBlocksGiveAReasonAndNoVerdict) {
  for (const int blocks : {2, 5}) {
    const Evaluation slow = measured_at(1, blocks);
    EXPECT_NE(doubts_of(slow).words().find("too few blocks"), std::string::npos) << blocks;
    const auto ratio = speedup(slow, Side::kEager, Side::kSubmission);
    EXPECT_TRUE(!ratio || ratio->verdict == Verdict::kNone) << blocks;
  }
  Evaluation nobody = measured_at(1, 2);
  std::erase_if(nobody.samples, [](const Sample& s) { return s.side == Side::kSubmission; });
  EXPECT_EQ(doubts_of(nobody).words(), "") << "nobody is too slow";
}

TEST(Speedup, ASideThatTheClockCannotTellFromNothingHasNoVerdict) {
  Evaluation short_one = measured_at(6, 8);
  for (Sample& sample : short_one.samples)
    if (sample.side == Side::kEager) sample.time_ns = kLeastCpuCallNs;
  EXPECT_NE(doubts_of(short_one).words().find("a call of eager"), std::string::npos);
  EXPECT_EQ(speedup(short_one, Side::kEager, Side::kSubmission)->verdict, Verdict::kNone);
  short_one.device = "cuda";
  EXPECT_EQ(doubts_of(short_one).words(), "") << "events are finer";
}

// Was: the first of them alone, so that whoever saw to it was told the next.
TEST(Speedup, EveryReasonForNoVerdictIsNamed) {
  Evaluation hopeless = measured_at(1, 2);
  hopeless.calibration.reset();
  for (Sample& sample : hopeless.samples)
    if (sample.side == Side::kEager) sample.time_ns = kLeastCpuCallNs;
  const std::string reasons = doubts_of(hopeless).words();
  for (const char* one : {"a call of eager", "; and too few blocks", "; and the timing is not"})
    EXPECT_NE(reasons.find(one), std::string::npos) << reasons;
}

// Was: eight rows of a busy machine, told by eight sentences that differed in their numbers.
TEST(Speedup, RowsThatAreDoubtedAlikeHaveOneKind) {
  Doubts doubts{.busy = true,
                .blocks = {.all = 8, .disturbed = 6, .crowded = 5, .slowed = 3},
                .too_short = "",
                .too_few_blocks = false,
                .uncalibrated = true};
  Doubts others = doubts;
  others.blocks.disturbed = 8;
  EXPECT_NE(doubts.words(), others.words());
  EXPECT_EQ(doubts.kinds(), others.kinds());
  EXPECT_EQ(doubts.kinds().find('8'), std::string::npos) << doubts.kinds();
  others.busy = false;
  EXPECT_NE(doubts.kinds(), others.kinds());
}

TEST(Speedup, NoVerdictBelow95Percent) {
  EXPECT_EQ(speedup(two_to_one(5), Side::kEager, Side::kSubmission, 0.01)->verdict,
            Verdict::kUndecided);
  EXPECT_EQ(speedup(two_to_one(6), Side::kEager, Side::kSubmission, 0.01)->verdict,
            Verdict::kFaster);
}

TEST(Speedup, SwappedSidesAreSlower) {
  const auto result = speedup(two_to_one(9), Side::kSubmission, Side::kEager, 0.01);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, Verdict::kSlower);
}

TEST(Speedup, NeedsThreeUnitsAndBothSides) {
  EXPECT_FALSE(speedup(two_to_one(2), Side::kEager, Side::kSubmission, 0.01));
  EXPECT_FALSE(speedup(two_to_one(9), Side::kEager, Side::kCompiled, 0.01));
}

TEST(Speedup, ADroppedSampleTakesItsWholeBlockAlong) {
  auto samples = two_to_one(4);
  samples[0].dropped = true;
  const auto result = speedup(samples, Side::kEager, Side::kSubmission, 0.01);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->units, 3);
}

// On a CPU, where eager took 2.004 ms beside the submission, and about `ns` with no worker there.
Evaluation with_eager_alone(std::int64_t ns, std::int64_t spread = 5) {
  Evaluation evaluation;
  evaluation.device = "cpu";
  evaluation.samples = two_to_one(9);
  for (Sample& sample : evaluation.samples) sample.time_ns *= 1000;
  for (int i = 0; i < 12; ++i) {
    evaluation.alone.push_back(
        {.block = kAlone, .side = Side::kEager, .time_ns = ns + i % 2 * spread});
  }
  return evaluation;
}

TEST(Slowdown, ABaselineThatTakesAsLongAloneIsNotSlowed) {
  EXPECT_EQ(slowdown_beside(with_eager_alone(2'003'000), Side::kEager).log_ratio, 0);
  Evaluation without = with_eager_alone(1);
  without.alone.clear();
  EXPECT_EQ(slowdown_beside(without, Side::kEager).log_ratio, 0) << "nothing to compare";
  Evaluation few = with_eager_alone(1'900'000, 0);
  few.alone.resize(5);
  EXPECT_EQ(slowdown_beside(few, Side::kEager).log_ratio, 0) << "no interval of 95 %";
}

TEST(Slowdown, TheTimeAloneCountsWhereABaselineWasSlowed) {
  const Evaluation slowed = with_eager_alone(1'900'000, 0);
  EXPECT_NEAR(slowdown_beside(slowed, Side::kEager).log_ratio, std::log(2004.0 / 1900), 1e-6);
  const auto result = speedup(slowed, Side::kEager, Side::kSubmission);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->estimate, 1900.0 / 1004, 0.002);
  EXPECT_LT(result->high, 1900.0 / 1004 * 1.05);
  EXPECT_NEAR(*median_time_ns(slowed, Side::kEager), 1'900'000, 1e-3);
}

// Was: the interval was moved and stayed as narrow as before.
TEST(Slowdown, TheCorrectionsOwnUncertaintyWidensTheInterval) {
  const auto halves = [](const Evaluation& evaluation) {
    const auto ratio = speedup(evaluation, Side::kEager, Side::kSubmission);
    return std::pair{std::log(ratio->estimate / ratio->low),
                     std::log(ratio->high / ratio->estimate)};
  };
  Evaluation none = with_eager_alone(1'900'000, 0);
  none.alone.clear();
  const auto without = halves(none);
  constexpr double kEqualOnesDifferBy = 1.96 * 0.01;
  const auto sure = halves(with_eager_alone(1'900'000, 0));
  EXPECT_NEAR(sure.first, std::hypot(without.first, kEqualOnesDifferBy), 1e-5);
  EXPECT_NEAR(sure.second, std::hypot(without.second, kEqualOnesDifferBy), 1e-5);

  const double half_alone = std::log(1'930'000.0 / 1'870'000) / 2;
  const auto unsure = halves(with_eager_alone(1'870'000, 60'000));
  EXPECT_NEAR(unsure.first, std::hypot(without.first, kEqualOnesDifferBy, half_alone), 1e-5);
  EXPECT_NEAR(unsure.second, std::hypot(without.second, kEqualOnesDifferBy, half_alone), 1e-5);
}

// Compiled over eager: either baseline has times alone.
TEST(Slowdown, EitherSideOfARatioBringsItsUncertaintyAlong) {
  const auto below = [](const Evaluation& evaluation) {
    const auto ratio = speedup(evaluation, Side::kEager, Side::kCompiled);
    return std::log(ratio->estimate / ratio->low);
  };
  Evaluation both = with_eager_alone(1'900'000, 0);
  for (Sample& sample : both.samples)
    if (sample.side == Side::kSubmission) sample.side = Side::kCompiled;
  for (int i = 0; i < 12; ++i)
    both.alone.push_back(
        {.block = kAlone, .side = Side::kCompiled, .time_ns = 900'000 + i % 2 * 40'000});
  Evaluation none = both;
  none.alone.clear();
  constexpr double kEqualOnesDifferBy = 1.96 * 0.01;
  const double half_alone = std::log(940'000.0 / 900'000) / 2;
  const double of_compiled = std::hypot(kEqualOnesDifferBy, half_alone);
  EXPECT_NEAR(below(both), std::hypot(below(none), kEqualOnesDifferBy, of_compiled), 1e-5);
}

TEST(Slowdown, ABaselineThatIsQuickerBesideIsLeftAsItIs) {
  EXPECT_EQ(slowdown_beside(with_eager_alone(2'500'000), Side::kEager).log_ratio, 0)
      << "the submission gains nothing by that";
}

TEST(Slowdown, WhatEqualRunsDifferByIsNoSlowdown) {
  EXPECT_EQ(slowdown_beside(with_eager_alone(1'975'000, 0), Side::kEager).log_ratio, 0);
  EXPECT_GT(slowdown_beside(with_eager_alone(1'960'000, 0), Side::kEager).log_ratio, 0.02);
}

TEST(Slowdown, NoiseIsNoSlowdown) {
  EXPECT_EQ(slowdown_beside(with_eager_alone(1'500'000, 1'000'000), Side::kEager).log_ratio, 0);
}

TEST(Slowdown, AClockThatTheSubmissionsHeatLoweredAccusesNobodyAndTheTimeAloneCounts) {
  Evaluation evaluation = with_eager_alone(1'900'000, 0);
  const Slowdown accused = slowdown_beside(evaluation, Side::kEager);
  for (Sample& sample : evaluation.alone) sample.sm_clock_khz = 1'980'000;
  for (Sample& sample : evaluation.samples) sample.sm_clock_khz = 1'800'000;
  const Slowdown explained = slowdown_beside(evaluation, Side::kEager);
  EXPECT_GT(accused.at_least, 0);
  EXPECT_EQ(explained.at_least, 0);
  EXPECT_EQ(explained.log_ratio, accused.log_ratio);
}

TEST(Slowdown, ADeviceThatWasSlowBeforeTheWorkerCameExcusesNothing) {
  Evaluation evaluation = with_eager_alone(1'900'000, 0);
  const double slowed = slowdown_beside(evaluation, Side::kEager).at_least;
  for (std::size_t i = 0, n = evaluation.alone.size(); i < n; ++i) {
    Sample before = evaluation.alone[i];
    evaluation.alone[i].visit = 1;
    before.time_ns += 300'000;
    evaluation.alone.push_back(before);
  }
  EXPECT_GT(slowed, 0);
  EXPECT_EQ(slowdown_beside(evaluation, Side::kEager).at_least, slowed);
}

TEST(Speedup, BlocksOfOnePlacementAreOneUnit) {
  auto samples = two_to_one(9);
  for (Sample& sample : samples) sample.placement = sample.block / 2;
  for (const Sample& sample : two_to_one(18)) {
    if (sample.block < 9) continue;
    samples.push_back(sample);
    samples.back().placement = sample.block / 2;
  }
  const auto result = speedup(samples, Side::kEager, Side::kSubmission, 0.01);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->units, 9);
}

TEST(Speedup, WhatRunsHaveInCommonWidensTheInterval) {
  std::vector<Sample> samples = two_to_one(9);
  for (Sample& sample : samples) sample.time_ns = sample.side == Side::kEager ? 2000 : 1000;
  const auto alone = speedup(samples, Side::kEager, Side::kSubmission, 0.03);
  EXPECT_DOUBLE_EQ(alone->low, 2);
  EXPECT_DOUBLE_EQ(alone->high, 2);
  const auto result =
      speedup(samples, Side::kEager, Side::kSubmission, 0.03, Spread{.between_runs = 0.01});
  EXPECT_DOUBLE_EQ(result->estimate, 2);
  EXPECT_NEAR(result->low, 2 * std::exp(-0.0196), 1e-12);
  EXPECT_NEAR(result->high, 2 * std::exp(0.0196), 1e-12);
  EXPECT_GT(least_spread("cpu").between_runs, least_spread("cuda").between_runs);
  EXPECT_GT(least_spread("cuda").between_runs, 0);
}

TEST(Speedup, WhatRunsHaveInCommonAddsInQuadrature) {
  const auto alone = speedup(two_to_one(9), Side::kEager, Side::kSubmission, 0.03);
  const auto result =
      speedup(two_to_one(9), Side::kEager, Side::kSubmission, 0.03, Spread{.between_runs = 0.01});
  const auto half = [](const Speedup& ratio) { return std::log(ratio.high / ratio.estimate); };
  EXPECT_NEAR(half(*result), std::hypot(half(*alone), 0.0196), 1e-12);
}

TEST(Speedup, MedianTimeIsPerCall) {
  std::vector<Sample> samples{{.side = Side::kEager, .calls = 4, .time_ns = 400}};
  EXPECT_DOUBLE_EQ(*median_time_ns(samples, Side::kEager), 100);
  EXPECT_FALSE(median_time_ns(samples, Side::kSubmission));
}

}  // namespace
}  // namespace kbench
