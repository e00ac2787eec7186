// Findings of the task's own Model, played as a submission, about the graph that stands for it.
#include "runner/lint/own_model.hpp"

#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/lint/linter.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHash = "aa11";

Evaluation own(State state, std::optional<bool> correct) {
  Evaluation evaluation;
  evaluation.submission = SubmissionId{.name = "level1/001_a"};
  evaluation.state = state;
  evaluation.correct = correct;
  evaluation.message = "y is off by 3\nand more";
  return evaluation;
}

void add(Evaluation& evaluation, Side side, std::int64_t ns, int calls = 1) {
  evaluation.samples.push_back({.side = side, .calls = calls, .time_ns = ns * calls});
}

LintRecord record_of(const Evaluation& evaluation) {
  LintRecord record;
  auto findings = findings_of(std::span(&evaluation, 1), kHash);
  EXPECT_TRUE(findings);
  if (findings) record.findings = *findings;
  return record;
}

TEST(OwnModel, WhoAgreesMayRank) {
  Evaluation evaluation = own(State::kOk, true);
  add(evaluation, Side::kEager, 1'000'000);
  add(evaluation, Side::kSubmission, 1'000'000);
  const LintRecord record = record_of(evaluation);
  EXPECT_EQ(why_it_ranks_nobody(record), "");
  ASSERT_NE(comparison_with_python(record, kHash), nullptr);
  EXPECT_EQ(comparison_with_python(record, "bb22"), nullptr);
  // The clocks' verdict does not matter here: the outputs were right.
  EXPECT_EQ(why_it_ranks_nobody(record_of(own(State::kDeviceNotIdle, true))), "");
}

TEST(OwnModel, AnotherGraphRanksNobodyWhateverItsFileAccepts) {
  LintRecord record = record_of(own(State::kWrongResult, false));
  EXPECT_THAT(why_it_ranks_nobody(record),
              HasSubstr("what the task's .py computes is not what its .json says: y is off by 3"));
  Task task;
  task.lint_accepts = {{std::string(kAgainstPython), "it is meant"}};
  settle(task, record);
  EXPECT_EQ(record.state, LintState::kFailed);
  EXPECT_NE(why_it_ranks_nobody(record), "");
}

TEST(OwnModel, APythonThatDoesNotRunRanksNobody) {
  for (const State state : {State::kCrash, State::kTimeout, State::kSubmissionError})
    EXPECT_THAT(why_it_ranks_nobody(record_of(own(state, std::nullopt))),
                HasSubstr("the task's .py cannot be played"));
}

TEST(OwnModel, AGraphThatTakesLongerThanItsPythonRanksNobody) {
  Evaluation evaluation = own(State::kOk, true);
  add(evaluation, Side::kSubmission, 2'000'000, 4);
  add(evaluation, Side::kEager, 9'000'000);
  add(evaluation, Side::kEager, 3'000'000);  // the shortest counts
  EXPECT_EQ(why_it_ranks_nobody(record_of(evaluation)), "");
  evaluation.samples.back().time_ns = 3'100'000;
  LintRecord record = record_of(evaluation);
  EXPECT_THAT(why_it_ranks_nobody(record),
              HasSubstr("its graph takes 3.1 ms, and the Python that it stands for 2 ms"));
  Task task;
  task.lint_accepts = {{std::string(kSlowGraph), "Python fuses it"}};
  settle(task, record);
  EXPECT_EQ(why_it_ranks_nobody(record), "");
}

// Beside four other programs a graph's shortest of twelve calls was 7.57 ms, and its Python's 0.6.
TEST(OwnModel, OneEvaluationInWhichTheGraphIsFastEnoughClearsIt) {
  std::vector<Evaluation> twice(2, own(State::kOk, true));
  for (Evaluation& evaluation : twice) add(evaluation, Side::kSubmission, 604'000);
  for (Evaluation& evaluation : twice) add(evaluation, Side::kEager, 7'570'000);
  EXPECT_TRUE(looks_slow(twice));
  twice.back().samples.back().time_ns = 620'000;
  EXPECT_FALSE(looks_slow(twice));
  const auto findings = findings_of(twice, kHash);
  ASSERT_TRUE(findings);
  EXPECT_EQ(findings->size(), 1u);
}

TEST(OwnModel, ABusyMachineAccusesNobody) {
  std::vector<Evaluation> busy(3, own(State::kOk, true));
  for (Evaluation& evaluation : busy) {
    evaluation.device = "cuda";
    evaluation.labels = "busy_machine";
    add(evaluation, Side::kSubmission, 604'000);
    add(evaluation, Side::kEager, 7'570'000);
  }
  const auto findings = findings_of(busy, kHash);
  ASSERT_FALSE(findings);
  EXPECT_EQ(findings.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(findings.error().message,
              HasSubstr("the machine was busy, and its graph takes 7.57 ms"));
  // The busy evaluations did not clear what one quiet evaluation saw.
  busy[1].labels.clear();
  const auto accused = findings_of(busy, kHash);
  ASSERT_TRUE(accused);
  EXPECT_EQ(accused->size(), 2u);
}

TEST(OwnModel, AFaultOfTheMachineSaysNothing) {
  const Evaluation evaluation = own(State::kInfrastructureError, std::nullopt);
  const auto findings = findings_of(std::span(&evaluation, 1), kHash);
  ASSERT_FALSE(findings);
  EXPECT_THAT(findings.error().message, HasSubstr("could not be compared"));
}

}  // namespace
}  // namespace kbench
