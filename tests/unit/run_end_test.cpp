// Exit codes and last lines, which are made of the outcome of a run and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/outcome.hpp"

namespace kbench {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSaved = "run 5e1ec7ed0000 saved in kbench.sqlite";

RunOutcome outcome_of(int rows, int failed = 0, int ours = 0) {
  RunOutcome outcome;
  outcome.run.id = "5e1ec7ed00000000000000000000abcd";
  outcome.rows = rows;
  outcome.failed = failed;
  outcome.ours = ours;
  return outcome;
}

TEST(RunEnd, NoFailureIsGood) {
  const End end = end_of_run(outcome_of(3), {});
  EXPECT_EQ(end.code, ExitCode::kGood);
  EXPECT_EQ(end.summary, std::string("3 rows, none failed; ") + kSaved);
}

TEST(RunEnd, AFailureIsTheSubmissionsUnlessItIsOurs) {
  const End theirs = end_of_run(outcome_of(3, 1), {});
  EXPECT_EQ(theirs.code, ExitCode::kTaskFailed);
  EXPECT_EQ(theirs.summary, std::string("1 of 3 rows failed; ") + kSaved);
  EXPECT_EQ(end_of_run(outcome_of(3, 2, 1), {}).code, ExitCode::kInfrastructure);
}

TEST(RunEnd, ExitZeroForgivesSubmissionsAlone) {
  EXPECT_EQ(end_of_run(outcome_of(3, 1), {}, true).code, ExitCode::kGood);
  EXPECT_EQ(end_of_run(outcome_of(3, 1, 1), {}, true).code, ExitCode::kInfrastructure);
  RunOutcome nothing;
  nothing.nothing_selected = Error{ErrorCode::kNotFound, "no task matches", "look"};
  EXPECT_EQ(end_of_run(nothing, {}, true).code, ExitCode::kNothingSelected);
}

TEST(RunEnd, RowsThatABusyMachineKeptFromAVerdictAreSaidWithWhatToDo) {
  RunOutcome outcome = outcome_of(3);
  outcome.busy = 2;
  const End end = end_of_run(outcome, {});
  EXPECT_EQ(end.code, ExitCode::kGood);
  EXPECT_EQ(end.summary,
            std::string("3 rows, none failed; ") + kSaved +
                "; 2 rows are without a verdict, because other programs kept the machine busy: run "
                "again without them, or compare two tries by `kbench compare --remeasure`");
  outcome.busy = 1;
  outcome.failed = 1;
  EXPECT_THAT(end_of_run(outcome, {}).summary, HasSubstr("1 of 3 rows failed; "));
  EXPECT_THAT(end_of_run(outcome, {}).summary, HasSubstr("; 1 row is without a verdict, "));
}

TEST(RunEnd, NothingSelectedIsSaidAsItIs) {
  RunOutcome nothing;
  nothing.nothing_selected = Error{ErrorCode::kNotFound, "no task matches", "look"};
  const End end = end_of_run(nothing, {});
  EXPECT_EQ(end.code, ExitCode::kNothingSelected);
  EXPECT_EQ(end.summary, "no task matches");
}

TEST(RunEnd, AFileThatLooksLikeASubmissionCountsAsOneThatFailed) {
  RunOutcome outcome = outcome_of(1);
  outcome.mistaken_files = 2;
  const End end = end_of_run(outcome, {});
  EXPECT_EQ(end.code, ExitCode::kTaskFailed);
  EXPECT_THAT(end.summary, StartsWith("1 row, none failed; "));
  EXPECT_THAT(end.summary, EndsWith("; 2 files that look like a submission ignored"));
  outcome.mistaken_files = 1;
  EXPECT_THAT(end_of_run(outcome, {}, true).summary,
              EndsWith("; 1 file that looks like a submission ignored"));
}

TEST(RunEnd, ALostDeviceIsWorseThanCtrlC) {
  RunOutcome outcome = outcome_of(2, 1);
  outcome.interrupted = true;
  EXPECT_EQ(end_of_run(outcome, {}).code, ExitCode::kInterrupted);
  EXPECT_EQ(end_of_run(outcome, {}).summary,
            std::string("interrupted; ") + kSaved + "; continue with --resume");
  outcome.lost = Error{ErrorCode::kInfrastructure, "the device is lost", "restart"};
  outcome.left_pending = 4;
  EXPECT_EQ(end_of_run(outcome, {}).code, ExitCode::kInfrastructure);
  EXPECT_EQ(end_of_run(outcome, {}).summary,
            std::string("the device is lost (restart); 4 left pending; ") + kSaved);
}

TEST(RunEnd, StoppingAfterFailuresSaysWhatIsLeft) {
  RunOutcome outcome = outcome_of(2, 1);
  outcome.stopped = true;
  outcome.failures_here = 1;
  outcome.left_pending = 1;
  EXPECT_EQ(end_of_run(outcome, {}).code, ExitCode::kTaskFailed);
  EXPECT_EQ(end_of_run(outcome, {}, true).code, ExitCode::kGood);
  EXPECT_THAT(end_of_run(outcome, {}).summary,
              HasSubstr("stopped after 1 failed submission, 1 row left pending"));
}

TEST(RunEnd, SaysWhereItIsReportedAndThatNothingWasTimed) {
  RunOutcome outcome = outcome_of(1);
  EXPECT_THAT(end_of_run(outcome, {}, false, "a.csv").summary, HasSubstr(", reported in a.csv"));
  EXPECT_THAT(end_of_run(outcome, {}).summary, Not(HasSubstr("nothing timed")));
  outcome.timed = false;
  EXPECT_THAT(end_of_run(outcome, {}).summary, HasSubstr(", nothing timed"));
}

}  // namespace
}  // namespace kbench
