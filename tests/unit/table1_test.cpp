#include "reports/formats/table1.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/over_time/joined_runs.hpp"
#include "reports/write/reporter.hpp"
#include "tests/fakes/stored_runs.hpp"
#include "tests/unit/score_fixture.hpp"

namespace kbench {
namespace {

using test::failed;
using test::solved;
using ::testing::HasSubstr;
using ::testing::Not;

ResultRow at_level(ResultRow row, int level) {
  row.level = level;
  row.task[5] = static_cast<char>('0' + level);
  return row;
}

// The published table itself is made again of 1,500 rows in tests/cli/table1_test.py.
TEST(Table1, ClosedForm) {
  const std::vector<ResultRow> rows{
      solved("a", 1, 2, 0.5), solved("a", 2, 1.02, 2),           failed("a", 3),
      failed("a", 4),         at_level(solved("a", 1, 4, 3), 2),
  };
  const std::vector<Table1Row> table = table1(rows);
  ASSERT_EQ(table.size(), 3u);
  const Table1Row& all = table[0];
  const Table1Row& first = table[1];
  EXPECT_EQ(first.level, 1);
  EXPECT_EQ(first.tasks, 4);
  EXPECT_EQ(first.passed, 2);
  EXPECT_EQ(first.eager.faster, 2);
  EXPECT_EQ(first.eager.clearly, 1) << "2 % is not 5 % less time";
  EXPECT_EQ(first.compiled.faster, 1);
  EXPECT_NEAR(*first.eager.mean, std::sqrt(2 * 1.02), 1e-12) << "over correct tasks alone";
  EXPECT_NEAR(*first.compiled.mean, 1, 1e-12);
  EXPECT_EQ(table[2].tasks, 1);
  EXPECT_EQ(all.level, 0);
  EXPECT_EQ(all.tasks, 5);
  EXPECT_EQ(all.passed, 3);
  EXPECT_NEAR(*all.eager.mean, std::exp((4 * std::log(std::sqrt(2 * 1.02)) + std::log(4)) / 5),
              1e-12)
      << "weighted by tasks, not by passes";
}

TEST(Table1, WhatIsFastButSuspectPassesNothing) {
  ResultRow suspect = solved("a", 1, 50, 50);
  suspect.state = State::kSuspect;
  const std::vector<Table1Row> table = table1(std::vector{suspect});
  EXPECT_EQ(table.at(1).passed, 0);
  EXPECT_EQ(table.at(1).eager.faster, 0);
  EXPECT_FALSE(table.at(1).eager.mean);
}

TEST(Table1, AnAgentWithoutAMeanOnOneLevelHasNoneOverall) {
  const std::vector<ResultRow> rows{solved("a", 1, 2, 2), at_level(failed("a", 1), 2)};
  const std::vector<Table1Row> table = table1(rows);
  EXPECT_TRUE(table.at(1).eager.mean);
  EXPECT_FALSE(table.at(0).eager.mean);
  EXPECT_EQ(table.at(0).passed, 1);
}

ReportData run_of(const std::string& id, std::vector<Evaluation> evaluations,
                  const std::string& device = "Example CPU") {
  ReportData data;
  data.run = test::stored_run({.id = id, .device = device});
  data.device_name = device;
  data.chain.state = ChainFinding::State::kHolds;
  data.evaluations = std::move(evaluations);
  for (Evaluation& evaluation : data.evaluations) evaluation.profile = "cuda-agent";
  return data;
}

TEST(Table1, SaysWhatAReaderOfThePaperHasToKnow) {
  Evaluation unranked = test::timed_evaluation("r", "level1/002_b", "a", 1'000'000);
  unranked.unranked = "zeros pass";
  const ReportData data =
      run_of("r", {test::timed_evaluation("r", "level1/001_a", "a", 1'000'000, "one"),
                   test::timed_evaluation("r", "level1/001_a", "a", 2'000'000, "two"), unranked,
                   test::failed_evaluation("r", "level1/003_c", "a", State::kDoesNotFit)});
  const std::string text = render_table1(data);
  EXPECT_THAT(text, HasSubstr("Tasks: level 1: 3. On Example CPU."));
  EXPECT_THAT(text, HasSubstr("100.0%"));
  EXPECT_THAT(text, HasSubstr("2.00×"));
  EXPECT_THAT(text, HasSubstr("best of up to 2 variants"));
  EXPECT_THAT(text, HasSubstr("1 rows were not judged, by a fault of kbench"));
  EXPECT_THAT(text, HasSubstr("1 tasks count here that kbench ranks nobody by"));
  const std::string plain =
      render_table1(run_of("r", {test::timed_evaluation("r", "level1/001_a", "a", 1'000'000)}));
  EXPECT_THAT(plain, Not(HasSubstr("variants")));
}

TEST(Table1, IsOfRunsThatWereJudgedSo) {
  const Reporter& table = *find_reporter("table1");
  EXPECT_TRUE(check_profile(table, "cuda-agent"));
  const Status other = check_profile(table, "kbench");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_THAT(other.error().hint, HasSubstr("--profile cuda-agent"));
  EXPECT_TRUE(check_profile(*find_reporter("json"), "kbench"));
}

TEST(JoinedRuns, TheLastRunOfAnAgentCounts) {
  const auto joined = join_runs(
      {run_of("one", {test::timed_evaluation("one", "level1/001_a", "a", 2'000'000, "x"),
                      test::timed_evaluation("one", "level1/001_a", "b", 2'000'000),
                      test::timed_evaluation("one", "level1/002_b", "a", 2'000'000)}),
       run_of("two", {test::timed_evaluation("two", "level1/001_a", "a", 1'000'000, "y")})});
  ASSERT_TRUE(joined);
  ASSERT_EQ(joined->evaluations.size(), 3u);
  EXPECT_EQ(joined->evaluations.back().run_id, "two");
  EXPECT_EQ(table1(derive_all(*joined)).at(0).tasks, 2);
}

TEST(JoinedRuns, RowsThatWereChangedAfterwardsAreToldOf) {
  ReportData changed =
      run_of("two", {test::timed_evaluation("two", "level1/002_b", "a", 1'000'000)});
  changed.chain = {ChainFinding::State::kChanged, "row 1 is not what was stored"};
  const auto joined = join_runs(
      {run_of("one", {test::timed_evaluation("one", "level1/001_a", "a", 1'000'000)}), changed});
  ASSERT_TRUE(joined);
  EXPECT_THAT(render_table1(*joined), HasSubstr("row 1 is not what was stored"));
}

TEST(JoinedRuns, RunsOfDifferentDevicesStandInNoTable) {
  const auto joined = join_runs(
      {run_of("one", {test::timed_evaluation("one", "level1/001_a", "a", 1'000'000)}),
       run_of("two", {test::timed_evaluation("two", "level1/002_b", "a", 1'000'000)}, "Other")});
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message, HasSubstr("device"));
}

}  // namespace
}  // namespace kbench
