// Rows of `kbench run --checks-only`: right or wrong, without times, and in no score, page, reward
// or history.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/rewards.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/over_time/history.hpp"
#include "reports/rank/ranking.hpp"
#include "reports/rank/score.hpp"
#include "reports/write/reporter.hpp"
#include "runner/plan/evaluation_key.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/file/columns.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Evaluation checked(const char* agent) {
  Evaluation evaluation = test::base_evaluation("level1/019_relu", 1);
  test::set_submission(evaluation, agent, "");
  test::add_checks(evaluation, 1e-7);
  evaluation.timed = false;
  return evaluation;
}

ReportData checked_run() {
  ReportData data;
  data.run = {.id = "0123456789abcdef0123456789abcdef",
              .started_at = "2026-11-21T13:00:00Z",
              .finished_at = "2026-11-21T13:02:00Z",
              .configuration = R"({"device":"cpu","checks_only":true})"};
  data.chain = {ChainFinding::State::kHolds, ""};
  data.evaluations = {checked("alice"), checked("bob")};
  return data;
}

TEST(UntimedRows, CountInNoScore) {
  const ReportData data = checked_run();
  const std::vector<ResultRow> rows = derive_all(data);
  EXPECT_EQ(rows.front().credit.unranked, kNotTimed);
  EXPECT_EQ(count_ranked_tasks(rows), 0);
  for (const AgentScore& score : rank_agents(rows)) {
    EXPECT_EQ(score.tasks, 0);
    EXPECT_EQ(score.correct, 0);
  }
}

// An editor of the file who gives such a row samples gains nothing.
TEST(UntimedRows, CountInNoScoreWithSamplesEither) {
  ReportData data = checked_run();
  for (Evaluation& evaluation : data.evaluations) {
    test::add_samples(evaluation, Side::kEager, 2'000'000);
    test::add_samples(evaluation, Side::kSubmission, 1'000'000);
  }
  EXPECT_EQ(count_ranked_tasks(derive_all(data)), 0);
}

TEST(UntimedRows, AreWorthNothingByAnyReward) {
  Evaluation wrong = checked("alice");
  wrong.state = State::kWrongResult;
  wrong.correct = false;
  for (const Evaluation& evaluation : {checked("alice"), wrong}) {
    for (const RewardKind& kind : reward_kinds()) {
      std::string name(kind.name);
      if (has_threshold(kind.formula)) name.replace(name.size() - 1, 1, "1");
      const Reward made = reward_of(derive(evaluation), find_reward(name).value());
      EXPECT_FALSE(made.value) << name;
      EXPECT_THAT(made.reason, HasSubstr("nothing was timed")) << name;
    }
  }
}

TEST(UntimedRows, FormatsThatShowTimesAreRefused) {
  for (const char* name : {"html", "google-benchmark", "kernelbench", "table1"}) {
    const auto fine = check_timed(*find_reporter(name), false);
    ASSERT_FALSE(fine.ok()) << name;
    EXPECT_EQ(fine.error().code, ErrorCode::kUsage);
    EXPECT_THAT(fine.error().hint, HasSubstr("states of its rows, without scores, are in table, "));
    EXPECT_TRUE(check_timed(*find_reporter(name), true).ok());
  }
  for (const char* name : {"table", "json", "jsonl", "csv", "md", "junit", "github"})
    EXPECT_TRUE(check_timed(*find_reporter(name), false).ok()) << name;
}

TEST(UntimedRows, TheTableHasNoColumnsOfTimesAndSaysWhy) {
  const std::string table = render_console(checked_run(), {});
  EXPECT_THAT(table, Not(HasSubstr("Eager")));
  EXPECT_THAT(table, Not(HasSubstr("correct,")));
  EXPECT_THAT(table, HasSubstr("2 ok · checked only, nothing timed: in no score"));
}

TEST(UntimedRows, AreOnNoHistory) {
  HistoryData data;
  data.task = "level1/019_relu";
  const ReportData run = checked_run();
  data.runs = {run.run};
  data.evaluations = run.evaluations;
  const auto history = make_history(data, {});
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kNotFound);
}

TEST(UntimedRows, HaveAKeyOfTheirOwn) {
  EvaluationIdentity identity;
  const std::string timed = evaluation_key(identity);
  identity.timed = false;
  EXPECT_NE(evaluation_key(identity), timed);
}

TEST(UntimedRows, AreAnotherTextForTheChain) {
  Evaluation evaluation = checked("alice");
  const std::string untimed = columns::text_of(evaluation);
  evaluation.timed = true;
  EXPECT_NE(columns::text_of(evaluation), untimed);
}

TEST(UntimedRows, TheirRunIsResumedWithoutTiming) {
  const kbench::Run run = checked_run().run;
  EXPECT_FALSE(facts_of(run).timed);
  EXPECT_TRUE(with_choices_of({}, run).checks_only);
  EXPECT_FALSE(with_choices_of({}, {.configuration = R"({"device":"cpu"})"}).checks_only);
}

}  // namespace
}  // namespace kbench
