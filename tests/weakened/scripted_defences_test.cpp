// That each of these defences matters, whatever the machine does: the same scripted measurement, or
// the same row, is accepted where a defence is switched off and caught where it stands. What a test
// with real programs could show of these only as long as nothing else runs on the machine.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/credit.hpp"
#include "runner/installation/build_info.hpp"
#include "tests/unit/evaluator_fixture.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Switches one off for as long as it lives.
class Without {
 public:
  explicit Without(const char* defence) { ::setenv("KBENCH_WITHOUT", defence, 1); }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;
  ~Without() { ::unsetenv("KBENCH_WITHOUT"); }
};

// On a quiet machine and on a busy one.
class ScriptedDefences : public ScriptedEvaluation, public testing::WithParamInterface<bool> {
 protected:
  ScriptedDefences() { script_.others_run = GetParam(); }

  void play_python() {
    use_cpu();
    script_.python = true;
    settings_.allow_torch = AllowTorch::kNone;
  }

  Evaluation run_without(const char* defence) {
    const Without weakened(defence);
    return run();
  }

  // The row ranks with those of which nothing was seen.
  void expect_accepted_without(const char* defence) {
    const Evaluation weakened = run_without(defence);
    EXPECT_EQ(weakened.state, State::kOk) << weakened.message;
    EXPECT_THAT(weakened.labels, Not(HasSubstr("torch")));
    EXPECT_EQ(weakened.torch_operators, "");
  }
};
INSTANTIATE_TEST_SUITE_P(Machine, ScriptedDefences, testing::Bool(),
                         [](const auto& machine) { return machine.param ? "Busy" : "Quiet"; });

// Class 5: in a BLAS until somebody looks, and in the C library from then on.
TEST_P(ScriptedDefences, TheLookThatComesUnawaresFindsWhoHidesFromTheOthers) {
  play_python();
  script_.code_profile = {{1000, {{"libscipy_openblas64_", 2}}},
                          {2, {{"libscipy_openblas64_", 2}}}};
  const Evaluation defended = run();
  EXPECT_EQ(defended.state, State::kForbiddenLibrary);
  EXPECT_THAT(defended.message, HasSubstr("libscipy_openblas64_ (100 % of the time)"));
  expect_accepted_without("first_looks");
}

TEST_P(ScriptedDefences, AndTellsWhoDoesSoInSomeCallsOnly) {
  play_python();
  script_.code_profile = {{1000, {}}, {4, {{"numpy", 1}}}};
  EXPECT_THAT(run().labels, HasSubstr("torch_unobserved"));
  expect_accepted_without("first_looks");
}

TEST_P(ScriptedDefences, ALibraryPastTheHooksIsSeenByItsShareOfTheTime) {
  play_python();
  script_.code_profile = {{100, {{"torch", 90}}}, {6, {{"torch", 6}}}};
  EXPECT_EQ(run().state, State::kForbiddenLibrary);
  expect_accepted_without("code_profiled");
}

// Rows as they are stored. Classes 3, 6 and 7: what is believed of one that is `ok`.
constexpr double kEagerNs = 2'000'000;

Evaluation row_of(double submission_ns) {
  Evaluation row = test::base_evaluation("level1/019_relu", 1);
  test::set_submission(row, "alice", "");
  test::add_checks(row, 1e-7);
  for (const Side side : {Side::kEager, Side::kCompiled})
    test::add_samples(row, side, static_cast<std::int64_t>(kEagerNs));
  test::add_samples(row, Side::kSubmission, static_cast<std::int64_t>(submission_ns));
  row.floor_ns = kEagerNs / 4;
  return row;
}

Evaluation measured_on(bool busy, Evaluation row) {
  for (int block = 0; busy && block < 12; ++block)
    row.blocks.push_back({.block = block, .strangers = 100});
  return row;
}

class CreditDefences : public testing::TestWithParam<bool> {
 protected:
  static Credit credit(const Evaluation& row, const LintRecord* lint = nullptr,
                       ChainFinding::State chain = ChainFinding::State::kHolds) {
    return credit_of(row, lint, chain, {});
  }
  static Credit credit_without(const char* defence, const Evaluation& row,
                               const LintRecord* lint = nullptr) {
    const Without weakened(defence);
    return credit(row, lint);
  }
  static void expect_paid_in_full(const Credit& weakened) {
    EXPECT_EQ(weakened.unranked, "");
    EXPECT_EQ(weakened.uncredited, "");
    EXPECT_EQ(weakened.pay, Pay::kSpeedup);
  }
};
INSTANTIATE_TEST_SUITE_P(Machine, CreditDefences, testing::Bool(),
                         [](const auto& machine) { return machine.param ? "Busy" : "Quiet"; });

TEST_P(CreditDefences, WhatIsBelowTheFloorIsPaidAtMostAsTheSame) {
  const Evaluation constant = measured_on(GetParam(), row_of(kEagerNs / 43'662));
  const Credit defended = credit(constant);
  EXPECT_TRUE(defended.below_floor);
  EXPECT_THAT(defended.uncredited, HasSubstr("faster than the device can be"));
  EXPECT_EQ(defended.pay, Pay::kAtMostSame);
  expect_paid_in_full(credit_without("credit", constant));
}

TEST_P(CreditDefences, ASpeedupOfABusyMachineIsNoSpeedup) {
  const Evaluation row = measured_on(GetParam(), row_of(kEagerNs / 2));
  const Credit defended = credit(row);
  EXPECT_EQ(defended.uncredited.empty(), !GetParam());
  EXPECT_EQ(defended.pay, GetParam() ? Pay::kAtMostSame : Pay::kSpeedup);
  expect_paid_in_full(credit_without("credit", row));
}

TEST_P(CreditDefences, WithoutACalibrationThereIsNoVerdict) {
  Evaluation row = measured_on(GetParam(), row_of(kEagerNs / 2));
  row.calibration.reset();
  const Credit defended = credit(row);
  EXPECT_THAT(defended.uncredited, Not(testing::IsEmpty()));
  EXPECT_NE(defended.pay, Pay::kSpeedup);
  expect_paid_in_full(credit_without("credit", row));
}

TEST_P(CreditDefences, APastedReferenceIsPaidAsAFailure) {
  Evaluation row = measured_on(GetParam(), row_of(kEagerNs));
  row.torch_operators = "aten::relu 1 (98 %)";
  EXPECT_EQ(credit(row).pay, Pay::kFailure);
  expect_paid_in_full(credit_without("credit", row));
}

TEST_P(CreditDefences, ACopyThatOnlyOneSideMayLeaveOutPaysNothing) {
  Evaluation row = measured_on(GetParam(), row_of(kEagerNs / 2));
  row.labels = "outputs_copied";
  EXPECT_EQ(credit(row).pay, Pay::kAtMostSame);
  expect_paid_in_full(credit_without("credit", row));
}

// Zeros pass, cancellation is everybody's tolerance, and the graph dawdles.
TEST_P(CreditDefences, ATaskThatCannotTellRanksNobody) {
  const Evaluation row = measured_on(false, row_of(kEagerNs / 2));
  for (const std::string kind : {"zeros", "imprecise", "slow_graph"}) {
    LintRecord lint;
    lint.state = LintState::kFailed;
    lint.findings = {{.kind = kind, .subject = "y", .message = "a flaw"}};
    EXPECT_NE(credit(row, &lint).unranked, "") << kind;
    expect_paid_in_full(credit_without("telling_tasks", row, &lint));
  }
}

// A program whose defences can be switched off is not to be taken for kbench.
TEST(WeakenedProgram, SaysSoInItsVersion) {
  EXPECT_THAT(version_text(build_info()), ::testing::EndsWith(", weakened: for tests"));
}

}  // namespace
}  // namespace kbench
