#include "reports/page/page_data.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/fields.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/page/page_samples.hpp"
#include "reports/page/trend_json.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using test::add_samples;
using test::make_report_data;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Json page_of(const ReportData& data) { return page_json(PageModel(data)); }

// A value of a row of the page by the name of its field.
Json value_of(const Json& page, std::size_t row, const std::string& name) {
  for (std::size_t i = 0; i < page["fields"].size(); ++i)
    if (page["fields"][i]["name"] == name) return page["rows"][row][i];
  ADD_FAILURE() << name;
  return {};
}

const Json* task_of(const Json& page, const std::string& name) {
  for (const Json& task : page["boards"][0]["tasks"])
    if (task["task"] == name) return &task;
  return nullptr;
}

TEST(PageData, MatchesItsGolden) {
  test::expect_golden("reports/page_data.json", page_of(make_report_data()).dump(1) + "\n");
}

TEST(PageData, RowsAreThoseOfTheJsonReport) {
  const ReportData data = make_report_data();
  const PageModel model(data);
  const Json page = page_json(model);
  ASSERT_EQ(page["rows"].size(), data.evaluations.size());
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    const Json result = result_json(model.rows[i]);
    EXPECT_EQ(value_of(page, i, "task"), result["task"]);
    EXPECT_EQ(value_of(page, i, "time_ns.eager"), result["time_ns"]["eager"]);
    const Json speedup = value_of(page, i, "speedup.eager");
    if (speedup.is_null()) continue;
    for (std::size_t part = 0; part < speedup.size(); ++part)
      EXPECT_EQ(speedup[part], result["speedup"]["eager"][page["speedup_parts"][part]]);
  }
}

TEST(PageData, CompiledHasARatioWhereverBothTimesExist) {
  const Json page = page_of(make_report_data());
  EXPECT_TRUE(task_of(page, "level3/007_lenet5")->contains("compiled_ratio"));
  EXPECT_TRUE(task_of(page, "level1/019_relu")->contains("compiled_ratio"));
  EXPECT_FALSE(task_of(page, "level2/076_gemm_add_relu")->contains("compiled_ratio"));
}

TEST(PageData, BaselinesAreTakenFromARowThatHasThem) {
  ReportData data = make_report_data();
  // The first row of the task by name lacks what the other ones have.
  data.evaluations[2].samples.clear();
  const PageModel model(data);
  EXPECT_TRUE(model.boards[0].tasks[0].baselines().baseline.has_value());
}

TEST(PageData, SourcesAreThereOnceAndSaySoWhereTheyAreNot) {
  const Json page = page_of(make_report_data());
  EXPECT_EQ(page["contents"].size(), 2u);
  EXPECT_EQ(page["contents"]["8888"], "int i = 1 < 2; // </script>\n");
  EXPECT_EQ((*task_of(page, "level1/019_relu"))["source"], "aaaa");
  EXPECT_FALSE(task_of(page, "level3/007_lenet5")->contains("source"));
  int with_command = 0;
  for (const Json& details : page["details"]) with_command += details.contains("sources") ? 1 : 0;
  EXPECT_EQ(with_command, 1) << "of the row whose header the report does not carry";
}

// Sources are counted as they are written into a page: "<" has six letters there.
TEST(PageData, SourcesNeverMakeThePageLarge) {
  ReportData data = make_report_data();
  data.contents["7777"] = std::string(kMostShownSources / 2, '<');
  data.contents["bbbb"] = std::string(kMostShownSources / 2, '\0');
  const Json page = page_of(data);
  EXPECT_EQ(page["contents"].size(), 2u);
  EXPECT_LT(for_script_element(page["contents"]).size(), kMostShownSources);
}

TEST(PageData, WhatWouldSteerAReaderIsShown) {
  ReportData data = make_report_data();
  data.contents["8888"] = "a\x1b[31m\t\xff\r\n\xe2\x80\xae end";
  EXPECT_EQ(page_of(data)["contents"]["8888"], "a\\x1b[31m    \\xff\\x0d\n\\u202e end");
}

TEST(PageData, NothingIsRankedAcrossBoards) {
  ReportData data = make_report_data();
  data.evaluations[1].precision = "tf32";
  data.evaluations[5].size = "full";
  const Json page = page_of(data);
  ASSERT_EQ(page["boards"].size(), 3u);
  for (const Json& board : page["boards"])
    for (const Json& scope : board["scopes"]) EXPECT_LE(scope["ranking"].size(), 2u);
}

TEST(PageData, LevelsAreScopesOfTheirOwnWhereThereAreSeveral) {
  ReportData data = make_report_data();
  const Json page = page_of(data);
  std::vector<int> levels;
  for (const Json& scope : page["boards"][0]["scopes"]) levels.push_back(scope["level"]);
  EXPECT_THAT(levels, ElementsAre(0, 1, 2, 3));
  data.evaluations.resize(3);
  EXPECT_EQ(page_of(data)["boards"][0]["scopes"].size(), 1u);
}

TEST(PageData, RanksAndScoresHaveTheirIntervals) {
  std::vector<AgentScore> ranking(1);
  ranking[0].first_rank = 1;
  ranking[0].last_rank = 2;
  ranking[0].scores[static_cast<std::size_t>(Score::kMeanEager)] = ScoreValue{2, 1.5, 3, 40};
  const Json made = ranking_json(ranking);
  EXPECT_EQ(made[0]["rank"], Json({1, 2}));
  EXPECT_EQ(made[0]["scores"]["penalised_mean_eager"],
            Json({{"value", 2}, {"low", 1.5}, {"high", 3}, {"tasks", 40}}));
  EXPECT_EQ(made[0]["scores"]["mean_eager"], Json({{"value", nullptr}}));
}

TEST(PageModel, TheHeadlineNamesWhoIsFirstAndNotMore) {
  PageBoard board;
  board.scopes.resize(1);
  EXPECT_THAT(winners_of(board), HasSubstr("Nobody submitted anything"));
  for (const char* name : {"a", "b", "c"}) {
    AgentScore score;
    score.first_rank = score.last_rank = name[0] == 'a' ? 1 : 2;
    score.agent = name;
    score.tasks = 4;
    score.correct = 3;
    score.scores[static_cast<std::size_t>(Score::kSureFastEager)] =
        ScoreValue{.estimate = 0.5, .low = 0.25, .high = 0.75};
    board.scopes[0].ranking.push_back(score);
  }
  EXPECT_EQ(winners_of(board),
            "a ranks first: correct on 3 of 4 tasks, surely faster than eager on "
            "50\u00a0%\u00a0[25–75].");
  board.scopes[0].ranking[0].scores[static_cast<std::size_t>(Score::kCorrectMeanEager)] =
      ScoreValue{.estimate = 1.5, .low = 1.25, .high = 1.75, .tasks = 3};
  EXPECT_THAT(winners_of(board),
              EndsWith("; geometric mean of the correct ones 1.50× [1.25–1.75]."));
  AgentScore& lead = board.scopes[0].ranking[0];
  lead.scores[static_cast<std::size_t>(Score::kCorrectMeanEager)]->tasks = 1;
  lead.left_out[0] = {.no_verdict = 1, .untimed = 1};
  EXPECT_THAT(winners_of(board),
              EndsWith("; geometric mean of 1 of the 3 correct ones 1.50× [1.25–1.75] "
                       "(1 has no verdict, 1 has no eager time)."))
      << "was: of the correct ones, with a mean over fewer";
  lead.scores[static_cast<std::size_t>(Score::kCorrectMeanEager)]->tasks = 3;
  lead.left_out[0] = {};
  lead.scores[static_cast<std::size_t>(Score::kSureFastEager)]->tasks = 2;
  EXPECT_THAT(winners_of(board), HasSubstr("[25–75] of the 2 with an eager time;"));
  lead.scores[static_cast<std::size_t>(Score::kSureFastEager)]->tasks = 0;
  for (AgentScore& score : board.scopes[0].ranking) score.first_rank = 1;
  EXPECT_EQ(
      winners_of(board),
      "3 agents tie for first: a, b and 1 more. a is surely faster than eager on "
      "50\u00a0%\u00a0[25–75] of 4 tasks; geometric mean of the correct ones 1.50× [1.25–1.75].");
  board.scopes[0].ranking.resize(1);
  board.scopes[0].ranking[0].agent = std::string(10'000, 'w');
  EXPECT_LT(winners_of(board).size(), 240u);
  EXPECT_THAT(winners_of(board), HasSubstr(" is correct on 3 of 4 tasks")) << "alone nobody ranks";
  board.scopes[0].ranking[0].correct = 0;
  EXPECT_EQ(winners_of(board), "Nobody was correct on any of 4 tasks.");
  board.scopes[0].ranking[0].tasks = 1;
  EXPECT_EQ(winners_of(board), "Nobody was correct on any of 1 task.");
  board.scopes[0].ranking[0].tasks = 4;
  AgentScore apart = board.scopes[0].ranking[0];
  apart.agent = "t";
  apart.apart = true;
  apart.correct = 1;
  board.scopes[0].ranking.push_back(apart);
  EXPECT_THAT(winners_of(board), HasSubstr("t ranks first: correct on 1 of 4 tasks"))
      << "who is correct on nothing leads nobody";
}

TEST(PageModel, WithoutAVerdictTheHeadlineIsTheEstimate) {
  ReportData data = make_report_data();
  const PageModel calibrated(data);
  EXPECT_THAT(winners_of(calibrated.boards[0]), Not(HasSubstr("estimate")));
  for (Evaluation& evaluation : data.evaluations) evaluation.calibration.reset();
  const PageModel page(data);
  EXPECT_THAT(winners_of(page.boards[0]),
              AllOf(HasSubstr("Not calibrated, so nobody is ranked. By estimate example is faster "
                              "than eager on "),
                    HasSubstr("; geometric mean of the correct ones about "),
                    Not(HasSubstr("first")), Not(HasSubstr("%"))));
}

// Was: "Not calibrated", of a device that was.
TEST(PageModel, WhereABusyMachineTookTheVerdictsTheHeadlineSaysSo) {
  ReportData data = make_report_data();
  for (Evaluation& evaluation : data.evaluations) {
    evaluation.device = "cuda";
    evaluation.labels = "busy_machine";
  }
  const PageModel page(data);
  EXPECT_THAT(winners_of(page.boards[0]),
              AllOf(HasSubstr("No speed-up has a verdict, so nobody is ranked: other programs"),
                    Not(HasSubstr("alibrated"))));
}

// Was: "is faster than eager on 0 of 3 tasks", and no speed.
TEST(PageModel, WhereNobodyIsFasterByEstimateTheHeadlineSaysHowFarAway) {
  const auto estimated = [](const char* agent, const char* task, double estimate) {
    ResultRow row;
    row.task = task;
    row.agent = agent;
    row.has_submission = true;
    row.state = State::kOk;
    row.correct = true;
    row.over_eager = Speedup{.estimate = estimate, .verdict = Verdict::kNone};
    return row;
  };
  const std::vector<ResultRow> rows{estimated("a", "t", 0.25), estimated("b", "t", 0.5),
                                    estimated("b", "u", 0.72)};
  PageBoard board;
  board.agents = {"a", "b"};
  board.tasks.resize(2);
  board.tasks[0].best = {&rows[0], &rows[1]};
  board.tasks[1].best = {nullptr, &rows[2]};
  board.scopes.resize(1);
  for (const char* name : {"a", "b"}) {
    AgentScore score;
    score.agent = name;
    score.tasks = 3;
    score.correct = name[0] == 'a' ? 1 : 2;
    score.estimates = estimates_of(rows, VariantRule::kBest).at(name);
    board.scopes[0].ranking.push_back(score);
  }
  EXPECT_EQ(winners_of(board),
            "Not calibrated, so nobody is ranked. By estimate nobody is faster than eager on any "
            "task; nearest is b, correct on 2 of 3 tasks; geometric mean of the correct ones "
            "about 0.600×.");
  for (AgentScore& score : board.scopes[0].ranking) score.estimates->faster = 2;
  EXPECT_EQ(winners_of(board),
            "Not calibrated, so nobody is ranked. By estimate a and b are faster than eager on 2 "
            "of 3 tasks each.")
      << "was: one of two equals";
}

TEST(PageData, HostileTextCannotLeaveTheScriptElement) {
  ReportData data = make_report_data();
  const std::string hostile =
      "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\xe2\x80\xa8\xe2\x80\xae"
      "]]>&amp;\xff\x1b[31m";
  for (Evaluation& evaluation : data.evaluations) {
    evaluation.message = evaluation.hint = evaluation.labels = hostile;
    evaluation.eager_reason = evaluation.compiled_reason = hostile;
    if (evaluation.submission) evaluation.submission->agent = hostile;
    for (Check& check : evaluation.checks) check.message = check.distribution = hostile;
    for (Sample& sample : evaluation.samples)
      if (sample.dropped) sample.drop_reason = hostile;
  }
  const std::string text = for_script_element(page_of(data));
  for (const char c : {'<', '>', '&'}) EXPECT_EQ(text.find(c), std::string::npos) << c;
  const Json parsed = Json::parse(text, nullptr, false);
  ASSERT_FALSE(parsed.is_discarded());
  const std::string plain = parsed.dump();
  for (const char* steering : {"\xe2\x80\xa8", "\xe2\x80\xae", "\x1b", "\xff"})
    EXPECT_EQ(plain.find(steering), std::string::npos) << "shown, not obeyed";
  const std::string agent = parsed["boards"][0]["agents"][0];
  EXPECT_THAT(agent, HasSubstr("</script><script>alert(1)</script>"));
  EXPECT_THAT(agent, HasSubstr("\\u202e"));
}

TEST(PageData, NotANumberIsNull) {
  const Json page = page_of(make_report_data());
  int failed = 0;
  for (const Json& details : page["details"]) {
    if (!details.contains("failed_checks")) continue;
    ++failed;
    EXPECT_TRUE(details["failed_checks"][0]["max_error"].is_null());
  }
  EXPECT_EQ(failed, 1);
}

TEST(PageData, ATrendIsOfItsBoardByPositions) {
  const ReportData data = make_report_data();
  const PageModel page(data);
  const PageBoard& board = page.boards.at(0);
  Speedup ratio;
  ratio.estimate = 1.234567890123;
  ratio.low = 1.2;
  ratio.high = std::numeric_limits<double>::infinity();
  ratio.verdict = Verdict::kNone;
  TrendSeries series{.task = board.tasks.at(0).task,
                     .agent = board.agents.at(0),
                     .device = board.device,
                     .precision = board.precision,
                     .profile = board.profile,
                     .size = board.size,
                     .protocol = board.protocol,
                     .points = {{0, ratio, "ok", "a"}, {2, {}, "crash", "b"}},
                     .changes = {{1, 2.0, 1.0}}};
  TrendSeries elsewhere = series;
  elsewhere.size = "another";
  const Json json = trend_series_json({.runs = {}, .series = {elsewhere, series}}, board);
  ASSERT_EQ(json.size(), 1U) << json;
  EXPECT_EQ(json[0], Json::parse(R"({"task": 0, "agent": 0, "points": [[0, 1.23456789, 1.2, null],
      [2, "crash"]], "unsure": [0], "renewed": [1], "changes": [[1, 2.0, 1.0]]})"));
}

TEST(PageSamples, ABlockIsItsVisitsAndADropItsReason) {
  Evaluation evaluation;
  EXPECT_TRUE(samples_json(evaluation).is_null());
  const auto add = [&](int block, int visit, std::int64_t time) {
    evaluation.samples.push_back({.placement = block / 2,
                                  .block = block,
                                  .visit = visit,
                                  .side = Side::kEager,
                                  .calls = 2,
                                  .time_ns = time});
  };
  add(0, 0, 20);
  add(0, 1, 24);
  add(1, 0, 30);
  add(2, 0, 40);
  evaluation.samples[1].dropped = true;
  evaluation.samples[1].drop_reason = "clock";
  EXPECT_EQ(samples_json(evaluation), Json::parse(R"({"session":[0,0,1],"eager":[[10,12],15,20],
                            "dropped":[["eager",0,1,0]],"reasons":["clock"]})"));
}

TEST(PageSamples, BlocksOfASecondAttemptDoNotMixWithTheFirst) {
  Evaluation evaluation;
  for (int attempt = 0; attempt < 2; ++attempt)
    evaluation.samples.push_back(
        {.attempt = attempt, .side = Side::kEager, .time_ns = 10 + attempt});
  EXPECT_EQ(samples_json(evaluation),
            Json::parse(R"({"session":[0,0],"block":[0,0],"eager":[10,11]})"));
}

}  // namespace
}  // namespace kbench
