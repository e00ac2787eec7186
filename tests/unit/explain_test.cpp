#include "reports/formats/explain.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kEagerNs = 2'000'000;

Evaluation timed(std::int64_t submission_ns) {
  Evaluation evaluation = test::base_evaluation("level1/019_relu", 1);
  test::set_submission(evaluation, "alice", "");
  test::add_checks(evaluation, 1e-7);
  test::add_samples(evaluation, Side::kEager, kEagerNs);
  test::add_samples(evaluation, Side::kCompiled, kEagerNs);
  test::add_samples(evaluation, Side::kSubmission, submission_ns);
  return evaluation;
}

Evaluation wrong() {
  Evaluation evaluation = test::base_evaluation("level1/020_leakyrelu", 1);
  test::set_submission(evaluation, "bob", "");
  evaluation.state = State::kWrongResult;
  evaluation.correct = false;
  evaluation.message = "3 of 8 elements of y are wrong\nthe first is y[0]\x1b[31m";
  evaluation.hint = "look at the border";
  return evaluation;
}

ReportData run_of(std::vector<Evaluation> evaluations) {
  ReportData data;
  data.run.id = evaluations.front().run_id;
  data.run.finished_at = "2026-11-21T13:00:00Z";
  data.chain = {ChainFinding::State::kHolds, ""};
  data.evaluations = std::move(evaluations);
  return data;
}

std::vector<ExplainedRow> all_of(const ReportData& data) {
  return explain_rows(data, [](const ResultRow&) { return true; });
}

TEST(Explain, AVerdictIsToldWithItsIntervalAndMargin) {
  const auto rows = all_of(run_of({timed(kEagerNs / 2)}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].answer, HasSubstr("correct"));
  EXPECT_THAT(rows[0].sentences, Contains(AllOf(HasSubstr("FASTER, 2.00×"), HasSubstr("over eager"),
                                                HasSubstr("lies above 1 by more than"))));
}

TEST(Explain, WithoutACalibrationItSaysWhatToDo) {
  Evaluation row = timed(kEagerNs / 2);
  row.calibration.reset();
  EXPECT_THAT(all_of(run_of({row}))[0].sentences,
              Contains(AllOf(HasSubstr("not calibrated"), HasSubstr("kbench calibrate"))));
}

TEST(Explain, AKnownSeedAndARunWithoutTimingAreToldOfTheRun) {
  ReportData data = run_of({timed(kEagerNs)});
  EXPECT_THAT(explain_run(data), Not(Contains(HasSubstr("--"))));
  data.run.configuration = R"({"seed": 7, "checks_only": true})";
  EXPECT_THAT(explain_run(data),
              AllOf(Contains(HasSubstr("(--seed 7)")), Contains(HasSubstr("(--checks-only)"))));
}

TEST(Explain, WhyARowRanksNobody) {
  Evaluation row = timed(kEagerNs / 2);
  row.labels = "known_inputs";
  EXPECT_THAT(all_of(run_of({row}))[0].sentences,
              Contains(HasSubstr("Not ranked: its inputs were known beforehand (--seed).")));
}

TEST(Explain, AFailureIsToldByItsFirstLineAndWhatToDo) {
  const auto rows = all_of(run_of({wrong(), timed(kEagerNs)}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].task, "level1/019_relu") << "sorted by task";
  EXPECT_THAT(rows[1].sentences, Contains("3 of 8 elements of y are wrong …"));
  EXPECT_THAT(rows[1].sentences, Contains("Next: look at the border"));
  EXPECT_THAT(rows[1].sentences, Not(Contains(HasSubstr("over eager"))));
}

// Was: the first line alone, which says in which function.
TEST(Explain, ACompilerIsQuotedWithItsError) {
  Evaluation row = wrong();
  row.message = "k.cu: In function 'kbench_forward':\nk.cu:3:1: note: x\nk.cu:7:9: error: no ';'\n";
  EXPECT_THAT(all_of(run_of({row}))[0].sentences,
              Contains("k.cu: In function 'kbench_forward': … k.cu:7:9: error: no ';' …"));
  row.message = "k.cu:7:9: error: no ';'\n  int x\nmore error";
  EXPECT_THAT(all_of(run_of({row}))[0].sentences, Contains("k.cu:7:9: error: no ';' …"));
}

// Was: "more samples, or a quieter machine, may", which changes nothing.
TEST(Explain, ADoubtfulCalibrationIsToldAndBlamed) {
  ReportData data = run_of({timed(kEagerNs * 99 / 100)});
  data.evaluations[0].calibration->between_runs = 0.1;
  EXPECT_THAT(all_of(data)[0].sentences, Contains(HasSubstr("more samples, or a quieter machine")));
  data.run.environment = R"({"calibration": {"failed_checks": 2}})";
  EXPECT_THAT(explain_run(data), Contains(AllOf(HasSubstr("2 checks of the clock failed"),
                                                HasSubstr("kbench calibrate --only timing"))));
  EXPECT_THAT(all_of(data)[0].sentences, Contains(HasSubstr("a better calibration may")));
  data.run.environment = R"({"calibration": {"failed_checks": "two"}})";
  EXPECT_THAT(explain_run(data), Not(Contains(HasSubstr("clock"))));
}

TEST(Explain, OnlyRowsThatAreMeant) {
  const ReportData data = run_of({timed(kEagerNs), wrong()});
  const auto rows = explain_rows(data, [](const ResultRow& row) { return row.agent == "bob"; });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(explanation_text(data, rows),
              AllOf(HasSubstr("level1/020_leakyrelu · bob"), Not(HasSubstr("alice"))));
  EXPECT_THAT(explanation_json(data, rows).at("rows"), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace kbench
