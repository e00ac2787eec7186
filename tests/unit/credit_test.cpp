// Rows that may rank and be paid. Each of these rows once ranked, or earned more than a correct
// kernel does.
#include "reports/facts/credit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/model.hpp"
#include "reports/facts/rewards.hpp"
#include "reports/rank/ranking.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

constexpr double kEagerNs = 2'000'000;

Evaluation row_of(double submission_ns) {
  Evaluation evaluation = test::base_evaluation("level1/019_relu", 1);
  test::set_submission(evaluation, "alice", "");
  test::add_checks(evaluation, 1e-7);
  test::add_samples(evaluation, Side::kEager, static_cast<std::int64_t>(kEagerNs));
  test::add_samples(evaluation, Side::kCompiled, static_cast<std::int64_t>(kEagerNs));
  test::add_samples(evaluation, Side::kSubmission, static_cast<std::int64_t>(submission_ns));
  evaluation.floor_ns = kEagerNs / 4;
  return evaluation;
}

Evaluation busy(Evaluation evaluation) {
  for (int block = 0; block < 12; ++block)
    evaluation.blocks.push_back({.block = block, .strangers = 100});
  return evaluation;
}

ReportData run_of(Evaluation evaluation) {
  ReportData data;
  data.run.id = evaluation.run_id;
  data.chain = {ChainFinding::State::kHolds, ""};
  data.evaluations = {std::move(evaluation)};
  return data;
}

std::optional<double> reward_by(const char* name, const ReportData& data) {
  return reward_of(derive_all(data).front(), find_reward(name).value()).value;
}

std::optional<double> score(const ReportData& data, Score score) {
  const std::vector<AgentScore> ranking = rank_agents(derive_all(data));
  const auto& found = ranking.at(0).of(score);
  return found ? std::optional(found->estimate) : std::nullopt;
}

// Two agents and two tasks: of bob's second submission nobody knows anything.
ReportData with_one_not_judged(State state) {
  ReportData data = run_of(row_of(kEagerNs / 2));
  const auto add = [&](const char* task, const char* agent, State ended) {
    Evaluation evaluation = row_of(kEagerNs / 2);
    evaluation.task = task;
    test::set_submission(evaluation, agent, "");
    evaluation.state = ended;
    if (ended != State::kOk) {
      evaluation.correct.reset();
      evaluation.samples.clear();
      evaluation.message = "what the task's .py computes is not what its .json says";
    }
    data.evaluations.push_back(std::move(evaluation));
  };
  add("level1/020_leakyrelu", "alice", State::kOk);
  add("level1/019_relu", "bob", State::kOk);
  add("level1/020_leakyrelu", "bob", state);
  return data;
}

// A kernel whose author knows the inputs can be right for these inputs alone.
TEST(Credit, KnownInputsRankNobodyAndPayNothing) {
  Evaluation row = row_of(kEagerNs / 2);
  row.labels = "busy_streams known_inputs";
  const ReportData data = run_of(row);
  EXPECT_EQ(derive_all(data).front().credit.unranked, "its inputs were known beforehand (--seed)");
  EXPECT_EQ(score(data, Score::kSureFastEager), std::nullopt);
  EXPECT_EQ(reward_by("log", data), std::nullopt);
  row.labels = "known_inputs_of_another_kind";
  EXPECT_EQ(derive_all(run_of(row)).front().credit.unranked, "");
}

TEST(Credit, WhatNobodyJudgedIsNoFailure) {
  for (const State state : {State::kInfrastructureError, State::kDoesNotFit}) {
    const auto rows = derive_all(with_one_not_judged(state));
    EXPECT_THAT(rows.back().credit.unranked, HasSubstr("was not judged, which is not its fault"));
    for (const AgentScore& agent : rank_agents(rows)) {
      EXPECT_EQ(agent.tasks, agent.agent == "bob" ? 1 : 2);
      EXPECT_EQ(agent.correct, agent.tasks);
      EXPECT_DOUBLE_EQ(agent.of(Score::kCorrectness)->estimate, 1);
      EXPECT_DOUBLE_EQ(agent.of(Score::kCoverage)->estimate, 1);
      EXPECT_NEAR(agent.value(Score::kMeanEager), 2, 0.01);
    }
  }
}

TEST(Credit, WhatFailedByItselfIsAFailure) {
  const auto rows = derive_all(with_one_not_judged(State::kCrash));
  EXPECT_EQ(rows.back().credit.unranked, "");
  const std::vector<AgentScore> ranking = rank_agents(rows);
  EXPECT_EQ(ranking.back().agent, "bob");
  EXPECT_EQ(ranking.back().tasks, 2);
  EXPECT_EQ(ranking.back().correct, 1);
}

// The one that was judged stands for the agent, whichever came first.
TEST(Credit, AVariantThatNobodyJudgedHidesNoFailure) {
  ReportData data = with_one_not_judged(State::kInfrastructureError);
  Evaluation wrong = data.evaluations.back();
  wrong.state = State::kWrongResult;
  wrong.correct = false;
  wrong.submission->variant = "second";
  data.evaluations.push_back(wrong);
  for (const VariantRule rule : {VariantRule::kBest, VariantRule::kMean}) {
    const AgentScore bob = rank_agents(derive_all(data), {.rule = rule}).back();
    EXPECT_EQ(bob.agent, "bob");
    EXPECT_EQ(bob.tasks, 2);
    EXPECT_EQ(bob.correct, 1);
  }
}

TEST(Credit, AFasterKernelOfAQuietCalibratedMachineCounts) {
  const ReportData data = run_of(row_of(kEagerNs / 2));
  const Credit credit = derive_all(data).front().credit;
  EXPECT_EQ(credit.unranked, "");
  EXPECT_EQ(credit.uncredited, "");
  EXPECT_EQ(credit.pay, Pay::kSpeedup);
  EXPECT_EQ(reward_by("milestone_sure", data), 3);
  EXPECT_EQ(score(data, Score::kSureFastEager), 1);
}

TEST(Credit, WhatIsBelowTheFloorNeverRanksWhateverTheMachineDid) {
  for (const bool is_busy : {false, true}) {
    Evaluation evaluation = row_of(50);  // ns: a constant is written
    const ReportData data = run_of(is_busy ? busy(std::move(evaluation)) : std::move(evaluation));
    const ResultRow row = derive_all(data).front();
    EXPECT_TRUE(row.credit.below_floor);
    EXPECT_FALSE(row.counts_as_correct());
    EXPECT_THAT(row.credit.uncredited, HasSubstr("the device needs at least"));
    EXPECT_EQ(score(data, Score::kCorrectness), 0);
    EXPECT_EQ(score(data, Score::kFastEager), 0);
    EXPECT_EQ(score(data, Score::kCorrectMeanEager), std::nullopt);
    for (const char* name : {"milestone", "milestone_sure", "speedup"})
      EXPECT_EQ(reward_by(name, data), 1) << name;
    EXPECT_EQ(reward_by("fast_p:1", data), 0);
    EXPECT_EQ(reward_by("log", data), 0);
  }
}

TEST(Credit, ABusyMachineBuysNothing) {
  const ReportData data = run_of(busy(row_of(kEagerNs / 3)));
  EXPECT_THAT(derive_all(data).front().credit.uncredited, HasSubstr("busy"));
  EXPECT_EQ(score(data, Score::kCorrectness), 1);
  EXPECT_EQ(score(data, Score::kFastEager), 0);
  EXPECT_EQ(score(data, Score::kMeanEager), std::nullopt) << "left out, neither 3 nor 0.1";
  EXPECT_EQ(score(data, Score::kMilestone), 1);
  EXPECT_EQ(reward_by("milestone", data), 1);
  EXPECT_EQ(reward_by("kevin", data), 1.3) << "as fast as eager";
  const ReportData slower = run_of(busy(row_of(2 * kEagerNs)));
  EXPECT_LT(reward_by("kevin", slower), 1) << "nor does it make a slow kernel faster";
}

TEST(Credit, WithoutACalibrationAnEstimateIsNotPaidUnlessItIsTrusted) {
  Evaluation evaluation = row_of(kEagerNs / 2);
  evaluation.calibration.reset();
  ReportData data = run_of(std::move(evaluation));
  EXPECT_EQ(reward_by("kevin", data), std::nullopt);
  EXPECT_EQ(reward_by("milestone", data), 1);
  EXPECT_EQ(score(data, Score::kFastEager), 0);
  EXPECT_EQ(derive_all(data).front().labels, "");

  data.trust.estimates = true;
  EXPECT_NEAR(reward_by("kevin", data).value(), 2.3, 0.05);
  EXPECT_EQ(reward_by("milestone", data), 3);
  EXPECT_EQ(score(data, Score::kFastEager), 1);
  EXPECT_EQ(score(data, Score::kSureFastEager), 0) << "an estimate makes nothing sure";
  EXPECT_EQ(derive_all(data).front().labels, "estimate_trusted");
}

TEST(Credit, TrustInEstimatesIsNoneInABusyMachine) {
  Evaluation evaluation = busy(row_of(kEagerNs / 2));
  evaluation.calibration.reset();
  ReportData data = run_of(std::move(evaluation));
  data.trust.estimates = true;
  EXPECT_EQ(reward_by("milestone", data), 1);
  EXPECT_EQ(derive_all(data).front().labels, "");
}

TEST(Credit, RowsThatAreNotAsStoredNeitherRankNorEarn) {
  ReportData data = run_of(row_of(kEagerNs / 2));
  // An editor of the file who takes the chain off can change what he likes.
  for (const auto state : {ChainFinding::State::kChanged, ChainFinding::State::kUnchecked,
                           ChainFinding::State::kUnchained}) {
    data.chain.state = state;
    EXPECT_NE(derive_all(data).front().credit.unranked, "");
    EXPECT_EQ(count_ranked_tasks(derive_all(data)), 0);
    EXPECT_EQ(reward_by("milestone_sure", data), std::nullopt);
  }
  data.trust.unchecked = true;
  EXPECT_EQ(reward_by("milestone_sure", data), 3);
  data.chain.state = ChainFinding::State::kChanged;
  EXPECT_EQ(reward_by("milestone_sure", data), std::nullopt) << "changed is changed";
}

// A trainer's policy that pastes the reference learns nothing from it, under whatever name.
TEST(Credit, APastedReferenceIsWorthWhatAFailureIs) {
  Evaluation pasted = row_of(kEagerNs);
  pasted.worker_kind = "python";
  pasted.allow_torch = "data";
  pasted.torch_operators = "aten::relu 1 (100 %)";
  Evaluation wrong = pasted;
  wrong.state = State::kForbiddenLibrary;
  for (const RewardKind& kind : reward_kinds()) {
    std::string name(kind.name);
    if (has_threshold(kind.formula)) name.replace(name.size() - 1, 1, "0.5");
    for (const bool is_busy : {false, true}) {
      const ReportData data = run_of(is_busy ? busy(pasted) : pasted);
      EXPECT_EQ(reward_by(name.c_str(), data), reward_by(name.c_str(), run_of(wrong))) << name;
    }
  }
  pasted.allow_torch = "all";
  EXPECT_EQ(reward_by("milestone_sure", run_of(pasted)), 1) << "KernelBench's rule";
}

TEST(Credit, WhoMixesTorchWithKernelsOfItsOwnIsPaidWhereItIsFaster) {
  Evaluation mixed = row_of(kEagerNs / 2);
  mixed.allow_torch = "data";
  mixed.torch_operators = "aten::mm 1 (40 %)";
  EXPECT_EQ(reward_by("milestone_sure", run_of(mixed)), 3);
}

}  // namespace
}  // namespace kbench
