#include "runner/measure/claims.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

const NullCalls kNulls{{10e3, 11e3, 12e3, 14e3, 20e3}, {7.0e6, 7.1e6, 7.2e6, 7.1e6, 7.0e6}};

TEST(ClaimLedger, KnowsTheMediansOfEmptyCalls) {
  ClaimLedger ledger("cuda");
  EXPECT_FALSE(ledger.calibrated());
  ledger.calibrate(kNulls);
  EXPECT_EQ(ledger.null_wall_ns(), 12'000);
  EXPECT_EQ(ledger.null_strict_ns(), 7'100'000);
}

TEST(ClaimLedger, OfEmptyCallsMadeMeanwhileTheLastFewCount) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({.wall_ns = {100, 100, 100, 100, 100}});
  for (const double wall_ns : {150.0, 150.0}) ledger.add_empty_call(wall_ns);
  EXPECT_EQ(ledger.null_wall_ns(), 100);
  ledger.add_empty_call(150);
  EXPECT_EQ(ledger.null_wall_ns(), 150);
}

TEST(ClaimLedger, OnACpuEmptyCallsThatWaitedForACoreTakeLittleOff) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({.wall_ns = {80e3, 85e3, 90e3}});
  ledger.forget_player();
  ledger.calibrate({.wall_ns = {2.6e6, 2.7e6, 2.7e6, 2.8e6, 5e6}});
  EXPECT_EQ(ledger.null_wall_ns(), 160'000) << "twice the fastest, of the player before";
  EXPECT_EQ(ledger.time_of(0, 4'277'784, 2), 3'957'784);
}

TEST(ClaimLedger, OnACpuTheMiddleOfAQuietHostsEmptyCallsIsTakenOff) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({.wall_ns = {199e3, 225e3, 257e3, 271e3, 591e3}});
  EXPECT_EQ(ledger.null_wall_ns(), 257'000);
}

std::vector<Sample> calls_of(std::int64_t claimed_ns, std::int64_t wall_ns) {
  std::vector<Sample> samples;
  for (int block = 0; block < 60; ++block)
    samples.push_back({.block = block,
                       .side = Side::kSubmission,
                       .wall_ns = wall_ns,
                       .claimed_ns = claimed_ns,
                       .strict_ns = wall_ns + 7'000'000});
  return samples;
}

TEST(ClaimLedger, OwnEmptyCallsLowerWhatIsGrantedAndNeverRaiseIt) {
  ClaimLedger ledger("cuda");
  ledger.calibrate({.wall_ns = std::vector<double>(25, 9e5), .strict_ns = {8e6}});
  const auto samples = calls_of(1'000'000, 1'890'000);
  EXPECT_FALSE(ledger.contradiction(samples));
  for (int i = 0; i < 10; ++i) ledger.add_own_empty_call(2e6);
  EXPECT_FALSE(ledger.contradiction(samples));
  EXPECT_TRUE(ledger.contradiction(calls_of(1'000'000, 1'950'000)));
  for (int i = 0; i < 10; ++i) ledger.add_own_empty_call(8.5e5);
  EXPECT_TRUE(ledger.contradiction(samples));
}

TEST(CameLate, MoreThanATenthHalfAMillisecondAfterTheFastest) {
  std::vector<double> wall_ns(25, 9e5);
  EXPECT_FALSE(came_late({.wall_ns = wall_ns}));
  wall_ns[0] = wall_ns[7] = 9e6;
  EXPECT_FALSE(came_late({.wall_ns = wall_ns}));
  wall_ns[8] = 1.41e6;
  EXPECT_TRUE(came_late({.wall_ns = wall_ns}));
  wall_ns[8] = 1.39e6;
  EXPECT_FALSE(came_late({.wall_ns = wall_ns}));
  EXPECT_FALSE(came_late({}));
}

TEST(ClaimLedger, BelievesAClaimThatAnEmptyCallExplains) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  EXPECT_EQ(ledger.time_of(1'000'000, 1'012'000), 1'000'000);
  EXPECT_EQ(ledger.time_of(1'000'000, 1'028'000), 1'000'000) << "20 + (20 - 12) us";
}

TEST(ClaimLedger, BoundsAClaimByTheClock) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  EXPECT_EQ(ledger.time_of(1'000'000, 3'028'000), 3'000'000);
}

TEST(ClaimLedger, ASlowEmptyCallExcusesLittleOnCudaToo) {
  ClaimLedger ledger("cuda");
  ledger.calibrate({{10e3, 10e3, 10e3, 10e3, 9e6}, {7e6, 7e6, 7e6, 7e6, 7e6}});
  EXPECT_EQ(ledger.time_of(1'000'000, 3'310'000), 3'000'000) << "300 us, and 10 us empty";
}

TEST(ClaimLedger, ASampleOfSeveralCallsHasAMessageForEach) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e5}, {1e6, 1e6, 1e6, 1e6, 1e6}});
  EXPECT_EQ(ledger.time_of(2'000'000, 2'600'000, 4), 2'200'000);
}

TEST(ClaimLedger, BeforeCalibrationNothingIsJudged) {
  ClaimLedger ledger("cuda");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ledger.time_of(1, 1'000'000'000), 1);
  EXPECT_FALSE(ledger.contradiction({}));
}

TEST(ClaimLedger, ANewWorkersFirstCallsAreNotJudgedByTheOldOne) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  ledger.forget_player();
  EXPECT_EQ(ledger.time_of(1, 1'000'000'000), 1);
}

TEST(ClaimLedger, WhatIsClaimedOnTheCpuChangesNoTime) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e8}, {1e5, 1e5, 1e5, 1e5, 1e8}});
  for (const std::int64_t claimed : {1, 1'880'000, 1'900'000, 1'920'000, 9'000'000})
    EXPECT_EQ(ledger.time_of(claimed, 2'000'000), 1'900'000) << claimed;
}

TEST(ClaimLedger, ACallShorterThanAnEmptyOneStillTakesTime) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5}, {1e5, 1e5, 1e5}});
  EXPECT_EQ(ledger.time_of(2'000, 190'000, 2), 2'000);
}

}  // namespace
}  // namespace kbench
