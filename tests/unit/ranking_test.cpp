#include "reports/rank/ranking.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/rank/estimates.hpp"
#include "tests/unit/score_fixture.hpp"

namespace kbench {
namespace {

using test::failed;
using test::solved;

std::vector<std::string> ranks(const std::vector<ResultRow>& rows) {
  std::vector<std::string> shown;
  for (const AgentScore& score : rank_agents(rows))
    shown.push_back(score.agent + " " + show_ranks(score));
  return shown;
}

// Forty tasks, each with some luck of its own; `faster` the typical speed-up.
void add_agent(std::vector<ResultRow>& rows, const std::string& agent, double faster,
               int solves = 40, double phase = 0) {
  for (int task = 0; task < 40; ++task) {
    const double own = std::exp(0.3 * std::sin(3.7 * task) + 0.01 * std::sin(11.0 * task + phase));
    rows.push_back(task < solves ? solved(agent, task, faster * own) : failed(agent, task));
  }
}

TEST(Ranking, WhoSolvesMoreForSureIsAhead) {
  std::vector<ResultRow> rows;
  add_agent(rows, "third", 3, 10);
  add_agent(rows, "first", 3, 40);
  add_agent(rows, "second", 3, 25);
  EXPECT_THAT(ranks(rows), ::testing::ElementsAre("first 1", "second 2", "third 3"));
}

TEST(Ranking, EqualSharesAreToldApartByTheMean) {
  std::vector<ResultRow> rows;
  add_agent(rows, "slower", 2);
  add_agent(rows, "faster", 5);
  EXPECT_THAT(ranks(rows), ::testing::ElementsAre("faster 1", "slower 2"));
}

TEST(Ranking, ThreeNamesOfOneFileShareARank) {
  std::vector<ResultRow> rows;
  add_agent(rows, "a", 2, 40, 0);
  add_agent(rows, "b", 2, 40, 1);
  add_agent(rows, "c", 2, 40, 2);
  add_agent(rows, "behind", 2, 5);
  std::vector<std::string> shown = ranks(rows);
  std::sort(shown.begin(), shown.end());
  EXPECT_THAT(shown, ::testing::ElementsAre("a 1–3", "b 1–3", "behind 4", "c 1–3"));
}

// Was: ranks 1–3 and an order by ranks that nobody has, beside "nobody is ranked".
TEST(Ranking, WithoutAVerdictEstimatesOrderAgentsAndRankNobody) {
  std::vector<ResultRow> rows;
  add_agent(rows, "all slower", 0.1);
  add_agent(rows, "some faster", 3, 10);
  add_agent(rows, "all faster", 3);
  rows.push_back(failed("failing", 0));
  for (ResultRow& row : rows)
    if (row.over_eager) row.over_eager->verdict = Verdict::kNone;
  EXPECT_THAT(ranks(rows),
              ::testing::ElementsAre("all faster –", "some faster –", "all slower –", "failing –"));
  for (ResultRow& row : rows)
    if (row.over_eager) row.over_eager->verdict = Verdict::kFaster;
  EXPECT_THAT(ranks(rows), ::testing::Contains("all faster 1")) << "one verdict, and all rank";
}

TEST(Estimates, CountWhatIsSolvedByTheBestOfAnAgent) {
  std::vector<ResultRow> rows{solved("a", 0, 2), solved("a", 0, 8), solved("a", 1, 0.5),
                              failed("a", 2), failed("b", 0)};
  EXPECT_TRUE(estimates_of(rows, VariantRule::kBest).empty()) << "there are verdicts";
  for (ResultRow& row : rows)
    if (row.over_eager) row.over_eager->verdict = Verdict::kNone;
  const auto found = estimates_of(rows, VariantRule::kBest);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("a").faster, 1);
  EXPECT_EQ(found.at("a").timed, 2);
  EXPECT_NEAR(found.at("a").mean(), 2, 1e-9);
  EXPECT_EQ(found.at("b").timed, 0);
  EXPECT_EQ(found.at("b").mean(), 0);
  EXPECT_TRUE(found.at("b") < found.at("a"));
}

// `a` is not told apart from `b`, nor `b` from `c`, but `a` from `c`: each fails at other tasks.
TEST(Ranking, RanksOverlapInAChain) {
  std::vector<ResultRow> rows;
  const auto add = [&rows](const std::string& agent, int solves, int shift) {
    for (int task = 0; task < 40; ++task)
      rows.push_back((task + shift) % 40 < solves ? solved(agent, task, 3) : failed(agent, task));
  };
  add("a", 34, 0);
  add("b", 28, 13);
  add("c", 22, 26);
  EXPECT_THAT(ranks(rows), ::testing::ElementsAre("a 1–2", "b 1–3", "c 2–3"));
}

TEST(Ranking, IntervalsHoldTheirEstimateAndNarrowWithTasks) {
  std::vector<ResultRow> rows;
  add_agent(rows, "a", 1.2, 30);
  const AgentScore score = rank_agents(rows).at(0);
  for (std::size_t s = 0; s < kScores; ++s) {
    if (!score.scores[s]) continue;
    EXPECT_LE(score.scores[s]->low, score.scores[s]->estimate) << score_kinds()[s].name;
    EXPECT_GE(score.scores[s]->high, score.scores[s]->estimate) << score_kinds()[s].name;
  }
  // 30 of 40: about the binomial's.
  EXPECT_NEAR(score.of(Score::kCorrectness)->low, 0.59, 0.04);
  EXPECT_NEAR(score.of(Score::kCorrectness)->high, 0.86, 0.04);
}

TEST(Ranking, AllAndNoneAreNotCertain) {
  std::vector<ResultRow> rows;
  add_agent(rows, "all", 5);
  const AgentScore all = rank_agents(rows).at(0);
  EXPECT_LT(all.of(Score::kCorrectness)->low, 1);
  EXPECT_GT(all.of(Score::kCorrectness)->low, 0.9);
}

TEST(Ranking, ATasksOwnUncertaintyCountsEvenWhereThereIsOneTask) {
  ResultRow row = solved("a", 1, 2);
  row.over_eager->low = 1.6;
  row.over_eager->high = 2.5;
  const auto mean = rank_agents(std::vector{row}).at(0).of(Score::kMeanEager);
  EXPECT_NEAR(mean->low, 1.6, 0.1);
  EXPECT_NEAR(mean->high, 2.5, 0.1);
}

TEST(Ranking, TheSameRowsGiveTheSameNumbers) {
  std::vector<ResultRow> rows;
  add_agent(rows, "a", 1.2, 30);
  const AgentScore once = rank_agents(rows).at(0);
  const AgentScore again = rank_agents(rows).at(0);
  EXPECT_EQ(once.of(Score::kMeanEager)->low, again.of(Score::kMeanEager)->low);
}

// The faster one computes with torch: nobody is beaten by it, and its tasks are missing beside the
// agent's own.
// Of a task that nobody solved, nobody timed the baselines.
TEST(Ranking, ATaskAtWhichAllFailCountsAsATaskAtWhichOneDid) {
  const auto untimed = [](const char* agent, int task, State state) {
    ResultRow row = failed(agent, task, state);
    row.fault = fault_of(state);
    row.eager.median_ns.reset();
    return row;
  };
  std::vector<ResultRow> rows{solved("a", 1, 2), untimed("a", 2, State::kWrongResult)};
  AgentScore score = rank_agents(rows).front();
  EXPECT_EQ(score.tasks, 2);
  EXPECT_DOUBLE_EQ(score.value(Score::kFastEager), 0.5);
  EXPECT_NEAR(score.value(Score::kMeanEager), std::sqrt(2 * 0.1), 1e-12);
  rows.push_back(untimed("a", 3, State::kInfrastructureError));
  EXPECT_DOUBLE_EQ(rank_agents(rows).front().value(Score::kFastEager), 0.5);
  rows = {untimed("a", 1, State::kCompileError)};
  score = rank_agents(rows).front();
  EXPECT_DOUBLE_EQ(score.value(Score::kFastEager), 0);
  EXPECT_NEAR(score.value(Score::kMeanEager), 0.1, 1e-12);
}

TEST(Ranking, WhoComputesWithTorchRanksApart) {
  std::vector<ResultRow> rows;
  add_agent(rows, "honest", 2);
  add_agent(rows, "mixed", 5);
  for (std::size_t i = 40; i < rows.size(); i += 2) rows[i].calls_libraries = true;
  EXPECT_THAT(ranks(rows),
              ::testing::ElementsAre("honest 1", "mixed 2", "mixed (calls libraries) 1"));
  const auto ranking = rank_agents(rows);
  EXPECT_EQ(ranking[1].submitted, 20);
  EXPECT_EQ(ranking[2].submitted, 20);
  EXPECT_EQ(ranking[2].tasks, 40);
  EXPECT_TRUE(ranking[2].apart);
}

TEST(Ranking, WhatAMeanLeavesOutIsCountedByItsReason) {
  std::vector<ResultRow> rows{solved("a", 1, 2), solved("a", 2, 2), solved("a", 3, 2),
                              failed("a", 4)};
  rows[1].credit.uncredited = "the device was not calibrated";
  rows[1].over_eager->verdict = Verdict::kNone;
  rows[2].over_eager.reset();
  const AgentScore score = rank_agents(rows).front();
  EXPECT_EQ(score.correct, 3);
  EXPECT_EQ(score.of(Score::kCorrectMeanEager)->tasks, 1);
  EXPECT_EQ(show_left_out(score.left_out[0], "eager"), "1 has no verdict, 1 has no eager time");
  EXPECT_EQ(show_left_out({.no_verdict = 4, .uncounted = 1}, "eager"),
            "4 have no verdict, 1 does not count");
  EXPECT_EQ(show_left_out({}, "eager"), "");
}

// The slow one solves more.
TEST(Ranking, EachScoreHasRanksOfItsOwn) {
  std::vector<ResultRow> rows;
  add_agent(rows, "fast", 3, 20);
  add_agent(rows, "slow", 0.5, 40);
  const std::vector<AgentScore> ranking = rank_agents(rows);
  const auto ranks_of = [&](std::size_t a, Score score) {
    const auto& value = ranking.at(a).of(score);
    return std::pair(value->first_rank, value->last_rank);
  };
  EXPECT_EQ(ranking[0].agent, "fast");
  EXPECT_EQ(ranking[0].first_rank, 1);
  EXPECT_EQ(ranks_of(0, Score::kSureFastEager), std::pair(1, 1));
  EXPECT_EQ(ranks_of(0, Score::kCorrectness), std::pair(2, 2));
  EXPECT_EQ(ranks_of(1, Score::kCorrectness), std::pair(1, 1));
}

// Was: a mean of failures alone put agents behind others whose times did not count either, and
// the headline named others than the first rows.
TEST(Ranking, WithoutAnyTimeNobodyIsBehind) {
  std::vector<ResultRow> rows;
  for (const char* agent : {"a", "b", "c"})
    for (int task = 0; task < 10; ++task) {
      if (agent[0] == 'a' && task < 3) {
        rows.push_back(failed(agent, task));
        continue;
      }
      rows.push_back(solved(agent, task, 2));
      rows.back().credit.uncredited = "not calibrated";
    }
  EXPECT_THAT(ranks(rows), ::testing::ElementsAre("a 1–3", "b 1–3", "c 1–3"));
}

TEST(Ranking, WithoutRedrawingsOnlyEqualsShareARank) {
  std::vector<ResultRow> rows{solved("a", 1, 2), solved("b", 1, 2), solved("c", 1, 1.9)};
  const auto ranking = rank_agents(rows, {.redrawings = 0});
  EXPECT_EQ(show_ranks(ranking[0]), "1–2");
  EXPECT_EQ(show_ranks(ranking[2]), "3");
}

}  // namespace
}  // namespace kbench
