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

TEST(ClaimLedger, BelievesAClaimThatAnEmptyCallExplains) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  EXPECT_EQ(ledger.enter(1'000'000, 1'012'000, 8'100'000), 1'000'000);
  EXPECT_EQ(ledger.enter(1'000'000, 1'028'000, 8'100'000), 1'000'000) << "20 + (20 - 12) us";
}

TEST(ClaimLedger, BoundsAClaimByTheClock) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  EXPECT_EQ(ledger.enter(1'000'000, 3'028'000, 10'100'000), 3'000'000);
}

TEST(ClaimLedger, ASlowEmptyCallExcusesLittleOnCudaToo) {
  ClaimLedger ledger("cuda");
  ledger.calibrate({{10e3, 10e3, 10e3, 10e3, 9e6}, {7e6, 7e6, 7e6, 7e6, 7e6}});
  EXPECT_EQ(ledger.enter(1'000'000, 3'310'000, 10'100'000), 3'000'000) << "300 us, and 10 us empty";
}

TEST(ClaimLedger, ASampleOfSeveralCallsHasAMessageForEach) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e5}, {1e6, 1e6, 1e6, 1e6, 1e6}});
  EXPECT_EQ(ledger.enter(2'000'000, 2'600'000, 0, 4), 2'200'000);
}

TEST(ClaimLedger, BeforeCalibrationNothingIsJudged) {
  ClaimLedger ledger("cuda");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ledger.enter(1, 1'000'000'000, 1'000'000'000), 1);
  EXPECT_FALSE(ledger.contradiction({}));
}

TEST(ClaimLedger, ANewWorkersFirstCallsAreNotJudgedByTheOldOne) {
  ClaimLedger ledger("cuda");
  ledger.calibrate(kNulls);
  ledger.forget_worker();
  EXPECT_EQ(ledger.enter(1, 1'000'000'000, 1'000'000'000), 1);
}

TEST(ClaimLedger, WhatIsClaimedOnTheCpuChangesNoTime) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e8}, {1e5, 1e5, 1e5, 1e5, 1e8}});
  for (const std::int64_t claimed : {1, 1'880'000, 1'900'000, 1'920'000, 9'000'000})
    EXPECT_EQ(ledger.enter(claimed, 2'000'000, 2'000'000), 1'900'000) << claimed;
}

TEST(ClaimLedger, ACallShorterThanAnEmptyOneStillTakesTime) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5}, {1e5, 1e5, 1e5}});
  EXPECT_EQ(ledger.enter(2'000, 190'000, 0, 2), 2'000);
}

// Threads that wait for a core which another program keeps do so in most calls, not in all.
void enter_calls_that_wait(ClaimLedger& ledger, bool others_run) {
  for (int i = 0; i < 20; ++i) {
    ledger.saw_others(others_run);
    ledger.enter(5'000'000, i % 5 == 0 ? 5'100'000 : 8'100'000 + 1'000 * i, 9'000'000);
  }
}

TEST(ClaimLedger, ASpreadDoesNotExcuseWhatEveryCallHides) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{95e3, 100e3, 90e6}, {1e6, 1e6, 1e6}});
  for (const std::int64_t ms : {124, 244, 103, 365, 244, 104})
    ledger.enter(1'500'000, ms * 1'000'000, 0);
  EXPECT_TRUE(ledger.contradiction({}));
}

TEST(ClaimLedger, OnABusyMachineCallsThatWaitedDoNotContradict) {
  ClaimLedger quiet("cpu");
  quiet.calibrate({{1e5, 1e5, 1e5, 1e5, 1e5}, {1e5, 1e5, 1e5, 1e5, 1e5}});
  ClaimLedger busy = quiet;
  enter_calls_that_wait(quiet, false);
  enter_calls_that_wait(busy, true);
  EXPECT_TRUE(quiet.contradiction({}));
  EXPECT_TRUE(busy.machine_is_busy());
  EXPECT_FALSE(busy.contradiction({}));
}

TEST(ClaimLedger, OnABusyMachineWhatAllCallsHideContradictsToo) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e8}, {1e5, 1e5, 1e5, 1e5, 1e8}});
  for (int i = 0; i < 20; ++i) {
    ledger.saw_others(true);
    ledger.enter(5'000'000, 7'100'000 + 1'000 * i, 8'000'000);
  }
  EXPECT_TRUE(ledger.contradiction({}));
}

TEST(ClaimLedger, OnABusyMachineTheirSpreadIsNoExcuseForWhatAllCallsHide) {
  ClaimLedger ledger("cpu");
  ledger.calibrate({{1e5, 1e5, 1e5, 1e5, 1e5}, {1e5, 1e5, 1e5, 1e5, 1e5}});
  for (int i = 1; i <= 15; ++i) {
    ledger.saw_others(true);
    ledger.enter(1'500'000, 40'000'000 * i, 700'000'000);
  }
  EXPECT_TRUE(ledger.contradiction({}));
}

}  // namespace
}  // namespace kbench
