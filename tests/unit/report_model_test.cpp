#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/model.hpp"
#include "reports/rank/score.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/report_fixture.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::add_checks;
using test::add_samples;
using test::base_evaluation;
using test::make_report_data;
using test::set_submission;
using ::testing::HasSubstr;

Evaluation measured(std::int64_t eager, std::int64_t compiled, std::int64_t submission) {
  Evaluation e = base_evaluation("level1/019_relu", 1);
  set_submission(e, "example", "");
  add_checks(e, 1e-7);
  if (eager > 0) add_samples(e, Side::kEager, eager);
  if (compiled > 0) add_samples(e, Side::kCompiled, compiled);
  if (submission > 0) add_samples(e, Side::kSubmission, submission);
  return e;
}

TEST(ReportModel, SpeedupsAreBaselineOverSubmission) {
  const ResultRow row = derive(measured(2'000'000, 1'500'000, 1'000'000));
  ASSERT_TRUE(row.over_eager && row.over_compiled && row.baseline);
  EXPECT_NEAR(row.over_eager->estimate, 2.0, 0.05);
  EXPECT_NEAR(row.over_compiled->estimate, 1.5, 0.05);
  EXPECT_NEAR(row.baseline->estimate, 4.0 / 3, 0.05);
  EXPECT_EQ(row.over_eager->verdict, Verdict::kFaster);
  EXPECT_NEAR(*row.eager.median_ns, 2'000'000, 60'000);
  EXPECT_EQ(row.eager.reason, "");
}

// Nine equal ratios, eager over submission.
Verdict verdict_of(std::int64_t eager_ns, std::int64_t submission_ns, const std::string& device) {
  Evaluation e = measured(0, 0, 0);
  e.device = device;
  e.calibration = Calibration{};
  for (int block = 0; block < 9; ++block) {
    e.samples.push_back(
        {.placement = block, .block = block, .side = Side::kEager, .time_ns = eager_ns});
    e.samples.push_back(
        {.placement = block, .block = block, .side = Side::kSubmission, .time_ns = submission_ns});
  }
  return derive(e).over_eager->verdict;
}

TEST(ReportModel, TheMarginFollowsTheDevice) {
  EXPECT_EQ(verdict_of(1'080'000, 1'000'000, "cpu"), Verdict::kFaster);
  EXPECT_EQ(verdict_of(1'007'000, 1'000'000, "cuda"), Verdict::kSame);
  EXPECT_EQ(verdict_of(1'020'000, 1'000'000, "cuda"), Verdict::kFaster);
}

// One run of a CPU cannot tell 3 % from nothing.
TEST(ReportModel, AFewPercentOnACpuMayBeTheMinutes) {
  for (const int permille : {1000, 1020, 1050})
    EXPECT_EQ(verdict_of(1000 * permille, 1'000'000, "cpu"), Verdict::kUndecided) << permille;
}

TEST(ReportModel, AMissingTimeHasAReason) {
  Evaluation e = measured(2'000'000, 0, 0);
  EXPECT_EQ(derive(e).compiled.reason, "not measured");
  e.compiled_reason = "no Python with torch";
  e.state = State::kCrash;
  const ResultRow row = derive(e);
  EXPECT_FALSE(row.compiled.median_ns);
  EXPECT_EQ(row.compiled.reason, "no Python with torch");
  EXPECT_EQ(row.submitted.reason, "crash");
  EXPECT_FALSE(row.over_compiled);
  e.submission.reset();
  EXPECT_EQ(derive(e).submitted.reason, "no submission");
}

TEST(ReportModel, TheWorstCheckIsAFailedOneEvenWhereItsErrorIsSmaller) {
  Evaluation e = measured(0, 0, 0);
  e.checks = {{.passed = true, .max_error = 9, .tolerance = 10},
              {.passed = false, .max_error = 2, .tolerance = 1},
              {.passed = false, .max_error = 3, .tolerance = 1.5}};
  EXPECT_EQ(derive(e).max_error, 3);
  EXPECT_EQ(derive(e).tolerance, 1.5);
  e.checks.push_back({.passed = false, .max_error = std::nan(""), .tolerance = 4});
  EXPECT_TRUE(std::isnan(*derive(e).max_error));
  EXPECT_EQ(derive(e).tolerance, 4);
  e.checks.clear();
  EXPECT_FALSE(derive(e).max_error);
}

TEST(ReportModel, CountsSamplesBlocksAndPlacements) {
  const ResultRow row = derive(make_report_data().evaluations[0]);
  EXPECT_EQ(row.counts.kept, 71);
  EXPECT_EQ(row.counts.dropped, 1);
  EXPECT_EQ(row.counts.blocks, 12);
  EXPECT_EQ(row.counts.placements, 6);
}

TEST(ReportModel, RowsAreSortedByTaskAndSubmission) {
  const std::vector<ResultRow> rows = derive_all(make_report_data());
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1].contestant(), "example");
  EXPECT_EQ(rows[2].contestant(), "example@scalar");
  EXPECT_EQ(rows[5].task, "level3/007_lenet5");
}

TEST(ReportModel, LoadsTheNewestRunOrTheOneAskedFor) {
  const test::TemporaryFolder folder;
  Result<Store> store = Store::open(folder / "kbench.sqlite", Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE(load_report(*store).ok());
  for (const char* id : {"aa", "bb"}) {
    kbench::Run run = test::make_run(id);
    run.started_at += id;
    ASSERT_TRUE(store->begin_run(run).ok());
    ASSERT_TRUE(store->add(test::make_evaluation(id, 1)).ok());
  }
  EXPECT_EQ(load_report(*store)->run.id, "bb");
  EXPECT_EQ(load_report(*store, "a")->run.id, "aa");
  EXPECT_EQ(load_report(*store, "a")->evaluations.size(), 1u);
  const auto missing = load_report(*store, "cc");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(ReportModel, WhichBlocksCountIsDecidedWhenReportingNotWhenMeasuring) {
  const test::TemporaryFolder folder;
  Result<Store> store = Store::open(folder / "kbench.sqlite", Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->begin_run(test::make_run("aa")).ok());
  Evaluation evaluation = test::make_evaluation("aa", 1);
  for (Sample& sample : evaluation.samples) sample.dropped = true;  // by some other rule
  ASSERT_TRUE(store->add(evaluation).ok());
  const auto report = load_report(*store);
  ASSERT_TRUE(report.ok());
  int dropped = 0;
  for (const Sample& sample : report->evaluations[0].samples) dropped += sample.dropped ? 1 : 0;
  EXPECT_EQ(dropped, 0) << "nothing disturbed any of its blocks";
}

TEST(Fields, AnIntervalThatHoldsLessThan95PercentSaysSo) {
  Speedup ratio{.estimate = 1.5, .low = 1.25, .high = 1.75, .confidence = 0.969};
  EXPECT_EQ(show_speedup(ratio), "1.50× [1.25–1.75]");
  ratio.confidence = 0.75;
  EXPECT_EQ(show_speedup(ratio), "1.50× [1.25–1.75] at 75 %");
}

// Was: "1.02× [1.01–1.02] UNDECIDED" on a GPU, whose margin is 1 %.
TEST(Fields, ANarrowIntervalNearOneHasADigitMore) {
  EXPECT_EQ(
      show_speedup(Speedup{.estimate = 1.016, .low = 1.0084, .high = 1.0243, .confidence = 0.95}),
      "1.016× [1.008–1.024]");
  EXPECT_EQ(show_speedup(Speedup{.estimate = 1.016, .low = 0.98, .high = 1.07, .confidence = 0.95}),
            "1.02× [0.98–1.07]");
  EXPECT_EQ(
      show_speedup(Speedup{.estimate = 1.211, .low = 1.2088, .high = 1.2131, .confidence = 0.95}),
      "1.211× [1.209–1.213]")
      << "was [1.21–1.21]";
  EXPECT_EQ(show_speedup(Speedup{.estimate = 1.12, .low = 1.11, .high = 1.13, .confidence = 0.95}),
            "1.12× [1.11–1.13]");
}

TEST(Score, ATaskThatLintFoundToPassZerosRanksNobody) {
  using Weight = LintFinding::Weight;
  constexpr auto kHolds = ChainFinding::State::kHolds;
  const Evaluation evaluation = measured(2'000'000, 0, 1'000'000);
  LintRecord record{.task_hash = evaluation.task_hash,
                    .size = evaluation.size,
                    .device = evaluation.device,
                    .state = LintState::kPassed};
  EXPECT_EQ(credit_of(evaluation, nullptr, kHolds, {}).unranked, "");
  EXPECT_EQ(credit_of(evaluation, &record, kHolds, {}).unranked, "");
  for (const char* kind : {"stale", "zeros", "constant", "mean", "previous"}) {
    for (const Weight weight : {Weight::kFlaw, Weight::kAccepted}) {
      record.findings = {{weight, kind, "y", "y passes when it should not"}};
      EXPECT_THAT(credit_of(evaluation, &record, kHolds, {}).unranked,
                  ::testing::AllOf(HasSubstr(kind), HasSubstr("y passes when it should not")));
    }
    record.findings = {{Weight::kNote, kind, "y", "only noted"}};
    EXPECT_EQ(credit_of(evaluation, &record, kHolds, {}).unranked, "");
  }
  for (const char* kind : {"identity", "half", "element", "operator", "parameter", "time"}) {
    record.findings = {{Weight::kAccepted, kind, "y", "it depends on its inputs nevertheless"}};
    EXPECT_EQ(credit_of(evaluation, &record, kHolds, {}).unranked, "") << kind;
  }
}

TEST(ReportModel, LintBelongsToTheContentThatWasEvaluated) {
  ReportData data = test::make_report_data();
  const auto rows = derive_all(data);
  const auto lint_of_task = [&](const std::string& task) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const ResultRow& r) { return r.task == task; });
    return row->lint;
  };
  EXPECT_EQ(lint_of_task("level1/019_relu"), "passed");
  EXPECT_EQ(lint_of_task("level2/076_gemm_add_relu"), "failed: identity, zeros");
  EXPECT_EQ(lint_of_task("level3/007_lenet5"), "") << "nobody linted it";

  data.lint.push_back(
      {.task_hash = "1111aaaa", .size = "small", .device = "cpu", .state = LintState::kAccepted});
  EXPECT_EQ(lint_of(data, data.evaluations.front())->state, LintState::kAccepted)
      << "the same size and device goes first";
}

TEST(ReportModel, ErrorsOfHardDrawsDoNotStandForTheTask) {
  Evaluation evaluation = test::base_evaluation("level1/019_relu", 1);
  evaluation.checks = {{.passed = true, .max_error = 1e-6, .tolerance = 1e-5},
                       {.distribution = "wide", .passed = true, .max_error = 3, .tolerance = 9}};
  EXPECT_EQ(derive(evaluation).max_error, 1e-6);
  evaluation.checks.push_back({.distribution = "spikes", .passed = false, .max_error = 7});
  EXPECT_EQ(derive(evaluation).max_error, 7);
}

}  // namespace
}  // namespace kbench
