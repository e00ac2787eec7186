#include "runner/measure/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runner/analysis/speedup.hpp"
#include "tests/unit/evaluator_fixture.hpp"

namespace kbench {
namespace {

class EvaluatorTest : public ScriptedEvaluation {};

TEST_F(EvaluatorTest, AnHonestSubmissionIsOkWithBothSpeedups) {
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  EXPECT_EQ(result.correct, true);
  EXPECT_EQ(result.checks.size(), 5u);
  const auto eager = speedup(result.samples, Side::kEager, Side::kSubmission, 0.01);
  const auto compiled = speedup(result.samples, Side::kCompiled, Side::kSubmission, 0.01);
  ASSERT_TRUE(eager && compiled);
  EXPECT_NEAR(eager->estimate, 4.0, 1e-9);
  EXPECT_NEAR(compiled->estimate, 2.0, 1e-9);
}

TEST_F(EvaluatorTest, OfAPythonSubmissionsTimeNothingIsTakenOff) {
  script_.python = true;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.copy_ns, std::nullopt);
  EXPECT_EQ(result.labels.find("outputs_copied"), std::string::npos);
  for (const Sample& sample : result.samples) {
    if (sample.side != Side::kSubmission) continue;
    EXPECT_EQ(sample.time_ns, 1'000'000);
    EXPECT_EQ(sample.claimed_ns, 1'000'000);
  }
}

TEST_F(EvaluatorTest, WhoseOutputsWereCopiedWithinTheCallIsLabelled) {
  script_.python = true;
  script_.copies_outputs = true;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_NE(result.labels.find("outputs_copied"), std::string::npos);
}

TEST_F(EvaluatorTest, WhatAPythonWorkerDoesNotAdmitIsFoundLikeANativeOnes) {
  script_.python = true;
  script_.hidden_ns = 2e5;
  EXPECT_EQ(run().state, State::kTimingInconsistent);
}

// The baselines' player plays the compiled one only.
TEST_F(EvaluatorTest, EagerMayBePlayedByAWorkerOfItsOwn) {
  use_cpu();
  request_.eager_is_a_worker = true;
  script_.eager_worker_ns = 3'000'000;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(script_.count("eager"), 1) << "to see whether the file does more than its graph";
  EXPECT_EQ(result.labels.find("eager_by_graph"), std::string::npos);
  EXPECT_GT(script_.count("compiled"), 0);
  EXPECT_EQ(script_.count("eager's worker loads"), script_.count("place"));
  EXPECT_EQ(script_.count("judge eager's worker"), 1);
  for (const Sample& sample : result.samples) {
    if (sample.side != Side::kEager) continue;
    EXPECT_EQ(sample.time_ns, 3'000'000 * sample.calls);
  }
  for (std::size_t i = 0; i < script_.log.size(); ++i) {
    if (script_.log[i] != "eager's call") continue;
    EXPECT_EQ(script_.log.at(i - 2), "baselines' reveal");
    EXPECT_EQ(script_.log.at(i + 2), "baselines' snapshot") << "nothing has to be handed over";
  }
}

// A file that sleeps in forward would make whoever is compared with it look fast.
TEST_F(EvaluatorTest, WhereTheTasksFileTakesLongerThanItsGraphTheGraphPlaysEager) {
  use_cpu();
  script_.python = true;
  request_.eager_is_a_worker = true;
  script_.eager_worker_ns = 100'000'000;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_NE(result.labels.find("eager_by_graph"), std::string::npos);
  for (const Sample& sample : result.samples) {
    if (sample.side != Side::kEager) continue;
    EXPECT_EQ(sample.time_ns, static_cast<std::int64_t>(script_.eager_ns) * sample.calls);
  }
}

// Or a machine that was slow while one side's were made would make that side look fast.
TEST_F(EvaluatorTest, EagersEmptyCallsAreTakenOffOfBothSides) {
  use_cpu();
  script_.python = true;
  request_.eager_is_a_worker = true;
  script_.eager_worker_ns = 3'000'000;
  script_.submission_ns = 3'000'000;
  script_.eager_null_ns = 400'000;  // each call costs 50,000 of them
  const Evaluation result = run();
  EXPECT_EQ(script_.count("null"), 0) << "of a submission's worker";
  EXPECT_EQ(result.null_call_ns, 400'000);
  for (const Sample& sample : result.samples) {
    if (sample.side == Side::kCompiled) continue;
    EXPECT_EQ(sample.time_ns, 2'650'000);
  }
  EXPECT_GT(script_.count("eager's null"), static_cast<int>(result.blocks.size()));
}

TEST_F(EvaluatorTest, WhatIsWrongWithEagersWorkerIsNoFaultOfASubmission) {
  use_cpu();
  request_.eager_is_a_worker = true;
  script_.eager_load_failure = EarlyEnd{State::kImportError, "reference.py cannot be imported", ""};
  Evaluation result = run();
  EXPECT_EQ(result.state, State::kInfrastructureError);
  EXPECT_EQ(result.message,
            "the task's own Model, played as a submission for eager, failed: reference.py cannot "
            "be imported");
  script_.eager_load_failure.reset();
  script_.eager_worker_error = 1;
  result = run();
  EXPECT_EQ(result.state, State::kInfrastructureError);
  EXPECT_NE(result.message.find("is not what its .json says"), std::string::npos);
}

TEST_F(EvaluatorTest, TheOracleIsToldHowAPythonSubmissionsOutputsLie) {
  script_.python = true;
  script_.output_orders = {0x12};
  run();
  EXPECT_EQ(script_.orders, script_.output_orders);
}

// It cannot know which: they lie between the blocks, wherever the key has it, and look like others.
TEST_F(EvaluatorTest, SomeCallsOfPythonOnACpuAreLookedInto) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{60, {}}, {2, {}}};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.torch_operators, "");
  EXPECT_EQ(result.labels.find("torch_unobserved"), std::string::npos);
  const auto looked = std::count(script_.looked_at.begin(), script_.looked_at.end(), true);
  EXPECT_GE(looked, 6);
  EXPECT_EQ(script_.count("judge eager"), script_.count("submission") - 5) << "each is verified";
  // None of the checks, nor of the first warm-ups.
  EXPECT_FALSE(std::find(script_.looked_at.begin(), script_.looked_at.begin() + 7, true) <
               script_.looked_at.begin() + 7);
}

TEST_F(EvaluatorTest, LibrariesThatComputeForPythonAreTold) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{30, {{"numpy", 29}}}, {2, {}}};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.torch_operators, "numpy (97 % of the time)");
  EXPECT_NE(result.labels.find("uses_torch"), std::string::npos);
  settings_.allow_torch = AllowTorch::kNone;
  const Evaluation refused = run();
  EXPECT_EQ(refused.state, State::kForbiddenLibrary);
  EXPECT_NE(refused.message.find("numpy (97 % of the time)"), std::string::npos);
  settings_.allow_torch = AllowTorch::kAll;
  EXPECT_EQ(run().torch_operators, "");
}

TEST_F(EvaluatorTest, TorchsTimeIsExcusedByDataOperatorsUnlessNoneIsAllowed) {
  use_cpu();
  script_.python = true;
  script_.torch_use = {
      .operators = {{"aten::copy_", 1}}, .ns = {{"aten::copy_", 40}}, .all_ns = 100};
  script_.code_profile = {{30, {{"torch", 12}}}, {2, {}}};
  EXPECT_EQ(run().torch_operators, "");
  script_.code_profile = {{30, {{"torch", 28}}}, {2, {}}};
  EXPECT_EQ(run().torch_operators, "torch (53 % of the time)") << "what it hides of them";
  settings_.allow_torch = AllowTorch::kNone;
  script_.code_profile = {{30, {{"torch", 12}}}, {2, {}}};
  EXPECT_EQ(run().state, State::kForbiddenLibrary);
}

TEST_F(EvaluatorTest, WhereTooLittleIsSeenTheRowSaysSo) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{0, {}}, {0, {}}};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_NE(result.labels.find("torch_unobserved"), std::string::npos);
  const auto looked = std::count(script_.looked_at.begin(), script_.looked_at.end(), true);
  EXPECT_EQ(looked, 48) << "it was tried often enough";
}

TEST_F(EvaluatorTest, LongCallsAreLookedIntoOnce) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{60, {}}, {2, {}}};
  script_.submission_ns = 2e9;
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(std::count(script_.looked_at.begin(), script_.looked_at.end(), true), 1);
}

// A sample of many short calls may take seconds. Of a long call one visit would do.
TEST_F(EvaluatorTest, CallsAreNoLongerForBeingManyInASample) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{60, {}}, {2, {}}};
  script_.eager_ns = script_.compiled_ns = 1e5;
  script_.submission_ns = 1e8;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  ASSERT_FALSE(result.samples.empty());
  EXPECT_GT(result.samples.front().calls * script_.submission_ns, 1e9);
  int visits = 0;
  bool before = false;
  for (const bool looked_at : script_.looked_at)
    visits += !std::exchange(before, looked_at) && looked_at ? 1 : 0;
  EXPECT_GT(visits, 1);
}

// The first look of each visit comes unawares, so it does not matter what a submission hides later.
TEST_F(EvaluatorTest, WhoeverHidesALibraryAfterTheFirstLookIsTold) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{1000, {{"numpy", 2}}}, {2, {{"numpy", 2}}}};
  EXPECT_EQ(run().torch_operators, "numpy (100 % of the time)");
  settings_.allow_torch = AllowTorch::kNone;
  EXPECT_EQ(run().state, State::kForbiddenLibrary);
}

TEST_F(EvaluatorTest, WhereFirstLooksSayOtherThanTheRestTheRowRanksApart) {
  use_cpu();
  script_.python = true;
  script_.code_profile = {{1000, {}}, {4, {{"numpy", 1}}}};
  settings_.allow_torch = AllowTorch::kNone;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_NE(result.labels.find("torch_unobserved"), std::string::npos);
}

TEST_F(EvaluatorTest, NativeCodeIsNotLookedInto) {
  use_cpu();
  run();
  EXPECT_EQ(std::count(script_.looked_at.begin(), script_.looked_at.end(), true), 0);
}

TEST_F(EvaluatorTest, WhereTorchsHooksDoNotStandTheRowSaysSo) {
  script_.python = true;
  EXPECT_EQ(run().labels.find("torch_unobserved"), std::string::npos);
  script_ = {};
  script_.python = true;
  script_.torch_use.hooks_stand = false;
  EXPECT_NE(run().labels.find("torch_unobserved"), std::string::npos);
}

TEST_F(EvaluatorTest, OperatorsOfTorchAreToldWithTheirShare) {
  script_.python = true;
  script_.torch_use = {.operators = {{"aten::relu", 2}, {"aten::empty", 1}},
                       .ns = {{"aten::relu", 60}},
                       .all_ns = 100};
  Evaluation result = run();
  EXPECT_EQ(result.torch_operators, "aten::relu 2 (60 %)");
  EXPECT_NE(result.labels.find("uses_torch"), std::string::npos);
  EXPECT_EQ(result.state, State::kOk);
  settings_.allow_torch = AllowTorch::kNone;
  result = run();
  EXPECT_EQ(result.state, State::kForbiddenLibrary);
}

TEST_F(EvaluatorTest, EveryBlockVisitsEachSideTwiceInMirroredOrder) {
  const Evaluation result = run();
  ASSERT_EQ(result.samples.size() % 6, 0u);
  std::set<std::vector<Side>> orders;
  for (std::size_t i = 0; i < result.samples.size(); i += 6) {
    std::vector<Side> order;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(result.samples[i + j].side, result.samples[i + 5 - j].side);
      EXPECT_EQ(result.samples[i + j].visit, 0);
      EXPECT_EQ(result.samples[i + 5 - j].visit, 1);
      order.push_back(result.samples[i + j].side);
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1u) << "the order of sides is drawn anew for each block";
}

TEST_F(EvaluatorTest, ItsLastWorkerEndsWithItUnlessItIsTakenOver) {
  use_cpu();
  run();
  EXPECT_FALSE(script_.worker_is_there);
  std::unique_ptr<Worker> taken;
  settings_.bury = [&](std::unique_ptr<Worker> worker) { taken = std::move(worker); };
  run();
  EXPECT_TRUE(taken);
  EXPECT_TRUE(script_.worker_is_there);
}

TEST_F(EvaluatorTest, TheSubmissionIsAskedForOnceEagerWasTimedAlone) {
  int timed_before = 0;
  request_.library = [&]() -> Result<std::filesystem::path> {
    timed_before = script_.count("eager");
    EXPECT_EQ(script_.workers_started, 0);
    return Error{ErrorCode::kSubmission, "it does not compile", ""};
  };
  const Evaluation result = run();
  EXPECT_GT(timed_before, 0);
  EXPECT_EQ(script_.workers_started, 0);
  EXPECT_EQ(result.message, "it does not compile");
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(EvaluatorTest, NoInputIsEverDrawnTwice) {
  run();
  const std::set<std::uint64_t> distinct(script_.input_keys.begin(), script_.input_keys.end());
  EXPECT_EQ(distinct.size(), script_.input_keys.size());
}

TEST_F(EvaluatorTest, EveryTimedCallOfTheSubmissionIsVerified) {
  run();
  EXPECT_EQ(script_.count("judge reference"), 5);
  EXPECT_EQ(script_.count("judge eager"), script_.count("submission") - 5);
}

// KernelBench knows no other output than eager's; in double, a convolution in TF32 was wrong there.
TEST_F(EvaluatorTest, ByAnotherBenchmarksRuleEveryCallIsComparedWithEager) {
  settings_.acceptance.allclose = 1e-4;
  run();
  EXPECT_EQ(script_.count("judge reference"), 0);
  EXPECT_EQ(script_.count("judge eager"), script_.count("submission"));
}

TEST_F(EvaluatorTest, EveryCallGoesThroughTheSameSteps) {
  run();
  int seen = 0;
  for (std::size_t i = 0; i < script_.log.size(); ++i) {
    if (script_.log[i] != "submission") continue;
    ++seen;
    EXPECT_EQ(script_.log.at(i - 2), "arm");
    EXPECT_EQ(script_.log.at(i - 1), "reveal") << "inputs are shown just before the call";
    EXPECT_EQ(script_.log.at(i + 1), "snapshot") << "outputs are taken before anything else runs";
  }
  EXPECT_GT(seen, 20);
}

TEST_F(EvaluatorTest, AWrongResultInACheckEndsTheEvaluation) {
  script_.submission_error = [](int call) { return call == 3 ? 1.0 : 0.0; };
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kWrongResult);
  EXPECT_EQ(result.correct, false);
  EXPECT_EQ(fault_of(result.state), Fault::kSubmission);
  EXPECT_EQ(result.checks.size(), 4u);
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(EvaluatorTest, WhoAsksForChecksAloneGetsThemAllAndNoTimes) {
  settings_.times = Times::kNone;
  const Evaluation right = run();
  EXPECT_EQ(right.state, State::kOk);
  EXPECT_EQ(right.correct, true);
  EXPECT_EQ(right.checks.size(), 5u);
  EXPECT_TRUE(right.samples.empty());
  EXPECT_EQ(script_.count("judge eager"), 0);
  script_.submission_error = [](int) { return 1.0; };
  const Evaluation wrong = run();
  EXPECT_EQ(wrong.state, State::kWrongResult);
  EXPECT_EQ(wrong.correct, false);
}

// A player of the baselines takes the start of LibTorch, and is for the clock alone.
TEST_F(EvaluatorTest, WhereNothingIsTimedTheBaselinesHaveNoPlayer) {
  request_.device = "cpu";
  settings_.times = Times::kNone;
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.players_started, 0);
  EXPECT_EQ(script_.count("eager"), 1) << "how long the submission may take is known all the same";
  settings_.times = Times::kJudged;
  settings_.stop = stop_rule_for("cpu");
  (void)run();
  EXPECT_GT(script_.players_started, 0);
}

// For whoever compares a task's graph with its Python: a few calls of each, and nobody's verdict.
TEST_F(EvaluatorTest, RoughTimesAreMeasuredAndNotJudged) {
  script_.leftover_ns = 3e6;  // which a verdict finds
  EXPECT_EQ(run().state, State::kTimingInconsistent);
  settings_.times = Times::kRough;
  const Evaluation rough = run();
  EXPECT_EQ(rough.state, State::kOk);
  EXPECT_EQ(rough.correct, true);
  EXPECT_FALSE(rough.samples.empty());
  EXPECT_TRUE(rough.alone.empty());
  EXPECT_EQ(rough.limit_ns, std::nullopt);
  EXPECT_EQ(rough.floor_ns, std::nullopt);
  script_.submission_error = [](int) { return 1.0; };
  EXPECT_EQ(run().state, State::kWrongResult);
}

TEST_F(EvaluatorTest, NaNIsWrong) {
  script_.submission_error = [](int) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(run().state, State::kWrongResult);
}

TEST_F(EvaluatorTest, AWrongResultInATimedCallIsFoundToo) {
  script_.submission_error = [](int call) { return call == 9 ? 1.0 : 0.0; };
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kWrongResult);
  ASSERT_FALSE(result.checks.empty());
  EXPECT_EQ(result.checks.back().distribution, "timed");
}

TEST_F(EvaluatorTest, AWrongResultInAWarmUpIsFoundToo) {
  script_.submission_error = [](int call) { return call == 5 ? 1.0 : 0.0; };
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kWrongResult);
  EXPECT_TRUE(result.samples.empty());
}

TEST_F(EvaluatorTest, ErrorsUpToTheBoundAreAccepted) {
  script_.submission_error = [this](int) { return 3.9 * script_.eager_error; };
  EXPECT_EQ(run().state, State::kOk);
}

TEST_F(EvaluatorTest, ACheckMayTakeAHundredTimesEagerLikeEveryOtherCall) {
  script_.eager_ns = 2e8;
  EXPECT_EQ(run().state, State::kOk);
  ASSERT_FALSE(script_.patience.empty());
  EXPECT_EQ(script_.patience.front(), std::chrono::seconds(20));
}

TEST_F(EvaluatorTest, TimeTheWorkerDoesNotAdmitIsTimingInconsistent) {
  script_.hidden_ns = 5e6;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kTimingInconsistent);
  EXPECT_EQ(fault_of(result.state), Fault::kSubmission);
}

TEST_F(EvaluatorTest, AClaimOfNoTimeAtAllIsTimingInconsistent) {
  script_.submission_ns = 0;
  EXPECT_EQ(run().state, State::kTimingInconsistent);
}

TEST_F(EvaluatorTest, ACrashWhileLoadingIsReported) {
  script_.load_failure = EarlyEnd{State::kCrash, "it crashed", ""};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kCrash);
  EXPECT_EQ(result.message, "it crashed");
  EXPECT_EQ(result.submission_reason, "it crashed");
}

TEST_F(EvaluatorTest, AFailureTellsWhatTheSubmissionPrinted) {
  script_.printed = "what():  nobody catches this";
  EXPECT_EQ(run().message, "") << "what works needs no words";
  script_.load_failure = EarlyEnd{State::kCrash, "it crashed", ""};
  EXPECT_EQ(run().message, "it crashed\nthe last that it printed:\nwhat():  nobody catches this");
  script_.load_failure = EarlyEnd{State::kInfrastructureError, "our fault", ""};
  EXPECT_EQ(run().message, "our fault");
}

TEST_F(EvaluatorTest, ACrashInTheMiddleOfTimingKeepsWhatWasMeasured) {
  script_.call_failure = {20, EarlyEnd{State::kCrash, "it crashed", ""}};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kCrash);
  EXPECT_FALSE(result.samples.empty());
  EXPECT_EQ(result.checks.size(), 5u);
}

TEST_F(EvaluatorTest, WhoKeepsTheRunWaitingIsOverBudget) {
  script_.eager_ns = script_.compiled_ns = 1e8;
  script_.submission_ns = 4e9;  // each call is in time
  settings_.budget = std::chrono::seconds{60};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOverBudget);
  EXPECT_EQ(fault_of(result.state), Fault::kSubmission);
  EXPECT_EQ(script_.count("submission"), 15);
  settings_.budget = std::chrono::hours{1};
  EXPECT_EQ(run().state, State::kOk);
}

TEST_F(EvaluatorTest, WhoeverPreparesForLongKeepsTheRunWaitingToo) {
  script_.has_prepare = true;
  script_.prepare_ns = 61e9;
  settings_.budget = std::chrono::seconds{60};
  EXPECT_EQ(run().state, State::kOverBudget);
  EXPECT_EQ(script_.count("submission"), 0);
  settings_.budget = std::chrono::hours{1};
  EXPECT_EQ(run().state, State::kOk);
}

// The last call is given no more time than is left: that it is cut off says nothing of that call.
TEST_F(EvaluatorTest, ACallThatTheBudgetCutsOffIsOverBudgetAndNoTimeout) {
  script_.eager_ns = script_.compiled_ns = 1e8;
  script_.submission_ns = 4e9;
  script_.call_failure = {14, EarlyEnd{State::kTimeout, "it did not answer in time", ""}};
  settings_.budget = std::chrono::hours{1};
  EXPECT_EQ(run().state, State::kTimeout);
  script_.forward_calls = 0;
  settings_.budget = std::chrono::seconds{60};
  EXPECT_EQ(run().state, State::kOverBudget);
}

TEST_F(EvaluatorTest, WhatIsMeasuredAgainHasNoBudgetOfItsOwn) {
  script_.submission_ns = 1e9;
  script_.eager_ns = script_.compiled_ns = 1.1e10;  // ten times as long: measured twice
  run();
  ASSERT_TRUE(script_.restarted);
  const int calls = script_.count("submission");
  script_ = {
      .eager_ns = script_.eager_ns, .compiled_ns = script_.compiled_ns, .submission_ns = 1e9};
  settings_.budget = std::chrono::seconds{calls - 2};
  EXPECT_EQ(run().state, State::kOverBudget);
  EXPECT_TRUE(script_.restarted);
}

TEST_F(EvaluatorTest, AFailingOracleIsNotTheSubmissionsFault) {
  script_.load_error = Error{ErrorCode::kInfrastructure, "the device is gone", ""};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kInfrastructureError);
  EXPECT_EQ(fault_of(result.state), Fault::kInfrastructure);
}

TEST_F(EvaluatorTest, ATaskTooLargeDoesNotFit) {
  script_.load_error = Error{ErrorCode::kDoesNotFit, "90 GiB", ""};
  EXPECT_EQ(run().state, State::kDoesNotFit);
}

TEST_F(EvaluatorTest, WithoutASubmissionTheBaselinesAreTimed) {
  request_.submission.reset();
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kNoSubmission);
  EXPECT_FALSE(result.correct);
  EXPECT_EQ(script_.workers_started, 0);
  const auto ratio = speedup(result.samples, Side::kEager, Side::kCompiled, 0.01);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->estimate, 2.0, 1e-9);
}

TEST_F(EvaluatorTest, WithoutASubmissionOnePlacementAndItsInputsAreEnough) {
  request_.submission.reset();
  use_cpu();
  settings_.stop = stop_rule_for("cpu", Ranked::kNo);
  const Evaluation result = run();
  ASSERT_GT(result.samples.size(), 20u);
  for (const Sample& sample : result.samples) EXPECT_EQ(sample.placement, 0);
  EXPECT_LT(script_.input_keys.size(), result.samples.size() / 4);
}

TEST_F(EvaluatorTest, WithoutAPackageTheReasonIsKept) {
  request_.package.clear();
  request_.package_reason = "no Python with torch";
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  EXPECT_EQ(result.compiled_reason, "no Python with torch");
  EXPECT_EQ(script_.count("compiled"), 0);
}

TEST_F(EvaluatorTest, ACompiledBaselineThatDiffersIsLeftOut) {
  script_.compiled_error = 1;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  EXPECT_NE(result.compiled_reason.find("differs"), std::string::npos);
  for (const auto* samples : {&result.samples, &result.alone}) {
    for (const Sample& sample : *samples) EXPECT_NE(sample.side, Side::kCompiled);
  }
}

// A submission that sees several inputs at once could serve them together.
TEST_F(EvaluatorTest, OfASamplesInputsOneIsShownAtATime) {
  use_cpu();
  script_.compiled_ns = 0.5e6;
  EXPECT_EQ(run().state, State::kOk);
  int last_slot = 0;
  std::vector<int> expected;
  for (std::size_t call = 0; call < script_.revealed.size(); ++call) {
    expected.push_back(call < script_.snapshots.size() ? script_.snapshots[call] : -1);
    last_slot = std::max(last_slot, script_.revealed[call]);
  }
  EXPECT_EQ(script_.revealed, expected) << "each output is taken before the next input is shown";
  EXPECT_EQ(last_slot, 3);
  for (std::size_t i = 0; i + 1 < script_.log.size(); ++i) {
    if (script_.log[i] != "reveal") continue;
    const auto next = std::find_if(
        script_.log.begin() + static_cast<std::ptrdiff_t>(i) + 1, script_.log.end(),
        [](const std::string& step) { return step == "reveal" || step == "snapshot"; });
    ASSERT_NE(next, script_.log.end());
    EXPECT_EQ(*next, "snapshot");
  }
}

TEST_F(EvaluatorTest, ASubmissionHasNoSayInHowManyCallsMakeASample) {
  use_cpu();
  script_.submission_ns = 1e4;
  for (const Sample& sample : run().samples) EXPECT_EQ(sample.calls, 1);
}

TEST_F(EvaluatorTest, OnCpuPlacementsAreFreshAndShortCallsAreBatched) {
  use_cpu();
  script_.compiled_ns = 0.5e6;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  std::set<int> placements;
  for (const Sample& sample : result.samples) {
    placements.insert(sample.placement);
    EXPECT_EQ(sample.calls, 4);
  }
  EXPECT_GE(placements.size(), 6u);
  EXPECT_GE(script_.workers_started, 6);
  EXPECT_EQ(script_.count("place"), script_.workers_started);
  EXPECT_EQ(script_.players_started, script_.workers_started);
  EXPECT_EQ(script_.count("restart"), 0) << "the oracle, which plays nothing, stays";
}

// The side that starts first gets what memory the players before have left.
TEST_F(EvaluatorTest, OnCpuEachSideStartsFirstAtTimes) {
  use_cpu();
  run();
  std::map<std::string, int> first;
  const std::string* last = nullptr;
  for (const std::string& step : script_.log) {
    const bool start = step == "baselines start" || step == "worker starts";
    if (start && last != nullptr && *last == "place") ++first[step];
    if (start || step == "place") last = &step;
  }
  EXPECT_GE(first["baselines start"], 2);
  EXPECT_GE(first["worker starts"], 2);
}

TEST_F(EvaluatorTest, OnCpuEverySideIsPlayedAlike) {
  use_cpu();
  run();
  const auto before = [&](std::size_t i, std::size_t back) { return script_.log.at(i - back); };
  int played = 0;
  for (std::size_t i = 0; i < script_.log.size(); ++i) {
    const std::string& step = script_.log[i];
    const bool baseline = step == "eager" || step == "compiled";
    if (!baseline && step != "submission") continue;
    const std::string whose = baseline ? "baselines' " : "";
    EXPECT_EQ(before(i, 1), "freeze");
    EXPECT_EQ(before(i, 2), whose + "reveal");
    EXPECT_EQ(before(i, 3), whose + "arm");
    EXPECT_EQ(script_.log.at(i + 1), "thaw");
    EXPECT_EQ(script_.log.at(i + 2), baseline ? "hand over" : "snapshot");
    if (step == "eager") {
      EXPECT_EQ(script_.log.at(i + 3), "baselines' snapshot");
      EXPECT_EQ(script_.log.at(i + 4), "keep eager");
    }
    ++played;
  }
  EXPECT_GT(played, 30);
  EXPECT_GE(script_.count("baselines' null"), 6 * script_.players_started);
}

// A baseline's own word on its time counts no more than a submission's.
TEST_F(EvaluatorTest, OnCpuABaselinesTimeIsTheSupervisors) {
  use_cpu();
  script_.null_ns = 1e6;
  for (const Sample& sample : run().samples) {
    const double expected = sample.side == Side::kEager      ? script_.eager_ns
                            : sample.side == Side::kCompiled ? script_.compiled_ns
                                                             : script_.submission_ns;
    EXPECT_NEAR(static_cast<double>(sample.time_ns), expected * sample.calls, 10);
  }
}

TEST_F(EvaluatorTest, OnCpuTheOracleIsStoppedWhileTheSubmissionRuns) {
  request_.device = "cpu";
  settings_.stop = stop_rule_for("cpu");
  settings_.stop.min_seconds_a_side = 0;
  run();
  for (std::size_t i = 0; i < script_.log.size(); ++i) {
    if (script_.log[i] != "submission") continue;
    EXPECT_EQ(script_.log.at(i - 1), "freeze");
    EXPECT_EQ(script_.log.at(i + 1), "thaw");
  }
}

// Threads of the submission could make them slow, and hide work in what they then excuse. On CUDA
// those of later only lower what is granted: one a block.
TEST_F(EvaluatorTest, EmptyCallsComeBeforeTheSubmissionIsLoaded) {
  for (const bool cpu : {false, true}) {
    script_ = fakes::Script{};
    if (cpu) use_cpu();
    const Evaluation result = run();
    bool loaded = false;
    std::size_t before = 0;
    std::size_t later = 0;
    for (const std::string& step : script_.log) {
      if (step == "place") loaded = false;
      if (step == "load") loaded = true;
      if (step == "null") ++(loaded ? later : before);
    }
    const std::size_t blocks = result.blocks.size();
    EXPECT_EQ(later, cpu ? 0 : 12 + (blocks - 12 + 1) / 2) << "then in every second block";
    EXPECT_GT(before, cpu ? 6 * 5 : 10);
  }
}

TEST_F(EvaluatorTest, BaselinesAreTimedAloneWhileNoSubmissionIsLoaded) {
  const Evaluation result = run();
  for (const Side side : {Side::kEager, Side::kCompiled}) {
    EXPECT_EQ(std::count_if(result.alone.begin(), result.alone.end(),
                            [side](const Sample& sample) { return sample.side == side; }),
              12);
  }
  for (const Sample& sample : result.alone) EXPECT_EQ(sample.block, kAlone);
  EXPECT_EQ(script_.timed_beside_at_first_and_last, 0) << "before it starts and after it has gone";
}

TEST_F(EvaluatorTest, PrepareRunsOncePerPlacementAndIsKeptApart) {
  script_.has_prepare = true;
  const Evaluation result = run();
  EXPECT_EQ(script_.count("prepare"), 1);
  EXPECT_EQ(result.prepare_ns, 1);
}

TEST_F(EvaluatorTest, ABlockWhoseClockMovedIsDroppedButKept) {
  script_.clocks_khz = {1'980'000, 1'980'000, 1'980'000, 1'800'000};
  const Evaluation result = run();
  bool any_dropped = false;
  bool any_kept = false;
  for (const Sample& sample : result.samples) {
    any_dropped |= sample.dropped;
    any_kept |= !sample.dropped;
    EXPECT_EQ(sample.dropped, !sample.drop_reason.empty());
  }
  EXPECT_TRUE(any_dropped);
  EXPECT_TRUE(any_kept);
}

class HardDrawTest : public EvaluatorTest {
 protected:
  HardDrawTest() {
    size_.hard_draws = {
        {HardDraw::kWide, ""}, {HardDraw::kBits, "a reason against it"}, {HardDraw::kSpikes, ""}};
  }

  // The distribution of each check, in order.
  static std::vector<std::string> distributions(const Evaluation& evaluation) {
    std::vector<std::string> names;
    for (const Check& check : evaluation.checks) names.push_back(check.distribution);
    return names;
  }
};

TEST_F(EvaluatorTest, ATaskThatIsNotToBeHadInATypeIsSkipped) {
  request_.precision = "bf16";
  script_.reference_fails = Error{ErrorCode::kNotFound, "eager in bfloat16 failed: no kernel", "x"};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kSkipped);
  EXPECT_NE(result.message.find("not to be had in bf16: eager in bfloat16"), std::string::npos);
  EXPECT_EQ(result.unranked, result.message);
  script_.reference_fails.reset();
  EXPECT_EQ(run().state, State::kOk);
  script_.own_not_finite = 1;
  const Evaluation overflowing = run();
  EXPECT_EQ(overflowing.state, State::kSkipped);
  EXPECT_NE(overflowing.message.find("leave the range"), std::string::npos);
}

TEST_F(EvaluatorTest, In16BitsOneWorkerMoreIsJudgedWithLargeBiases) {
  request_.precision = "bf16";
  const Draw around_zero{.kind = Draw::Kind::kUniform, .a = -0.1, .b = 0.1};
  size_.parameters = {
      {.name = "bias", .dtype = DType::kBFloat16, .shape = {4}, .draw = around_zero}};
  const Evaluation right = run();
  EXPECT_EQ(right.state, State::kOk);
  EXPECT_EQ(right.correct, std::optional(true));
  EXPECT_EQ(right.checks.back().distribution, "large_biases");
  EXPECT_EQ(script_.workers_started, 2);
  EXPECT_EQ(script_.count("place"), 2);

  const int last = 2 * script_.judged - 1;
  script_.submission_error = [last](int judged) { return judged >= last ? 1.0 : 0.0; };
  const Evaluation wrong = run();
  EXPECT_EQ(wrong.state, State::kWrongResult);
  EXPECT_EQ(wrong.correct, std::optional(false));
  EXPECT_NE(wrong.message.find("with biases drawn from [-1, 1): "), std::string::npos);

  script_.submission_error = [](int) { return 0.0; };
  size_.parameters[0].dtype = DType::kFloat32;
  EXPECT_NE(run().checks.back().distribution, "large_biases");
}

TEST_F(HardDrawTest, ThoseThatApplyAreDrawnOnceAmongTheOthers) {
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  const auto names = distributions(result);
  EXPECT_EQ(names.size(), 7u);
  EXPECT_EQ(std::count(names.begin(), names.end(), "wide"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "spikes"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "bits"), 0);
}

TEST_F(HardDrawTest, TheirOrderFollowsTheSeed) {
  std::set<std::vector<std::string>> orders;
  for (const char* seed : {"00", "01", "02", "03", "04", "05", "06", "07"}) {
    request_.seed = seed;
    orders.insert(distributions(run()));
  }
  EXPECT_GT(orders.size(), 1u);
}

TEST_F(HardDrawTest, AFailureNamesTheDistribution) {
  script_.hard_error = 1;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kWrongResult);
  const std::string& name = result.checks.back().distribution;
  EXPECT_TRUE(name == "wide" || name == "spikes") << name;
  EXPECT_TRUE(result.message.starts_with("on inputs with ")) << result.message;
}

TEST_F(HardDrawTest, AnIllConditionedOneIsJudgedByPerturbedInputsToo) {
  script_.hard_error = 1;
  script_.perturbed_error = 0.5;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_GT(script_.count("perturbed"), 0);
  for (const Check& check : result.checks)
    EXPECT_EQ(check.distribution == "task", check.message.empty()) << check.message;
}

TEST_F(HardDrawTest, PerturbedInputsExcuseNoMoreThanTheyAreWrongThemselves) {
  script_.hard_error = 1;
  script_.perturbed_error = 0.01;
  EXPECT_EQ(run().state, State::kWrongResult);
}

TEST_F(HardDrawTest, WhereAFewElementsFailOtherInputsDecide) {
  script_.hard_error = 1;
  script_.hard_draws_off = 1;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(std::count_if(script_.hard_draws.begin(), script_.hard_draws.end(),
                          [](const std::string& name) { return !name.empty(); }),
            3);
  EXPECT_EQ(result.checks.size(), 7u);
}

TEST_F(HardDrawTest, WhoFailsOnThoseTooIsWrong) {
  script_.hard_error = 1;
  script_.hard_draws_off = 2;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kWrongResult);
  EXPECT_NE(result.message.find("on inputs drawn before"), std::string::npos) << result.message;
}

TEST_F(HardDrawTest, PerturbedInputsAreNotAskedOnTheTasksOwnInputs) {
  script_.submission_error = [](int) { return 1.0; };
  script_.perturbed_error = 0.5;
  EXPECT_EQ(run().state, State::kWrongResult);
  EXPECT_EQ(script_.count("perturbed"), 0);
}

TEST_F(HardDrawTest, OneOnWhichEagerOverflowsIsLeftOutAndSaidSo) {
  script_.hard_not_finite = 3;
  script_.hard_error = 1;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk);
  for (const Check& check : result.checks) {
    EXPECT_TRUE(check.passed);
    EXPECT_EQ(check.distribution == "task", check.message.empty());
  }
}

// Two files that compute the same do so to the bit: the reference in double is for those that
// differ.
TEST_F(HardDrawTest, WhereTwoFilesAreComparedWhatIsEagersNeedsNoReference) {
  settings_.times = Times::kRough;
  settings_.correctness_draws = 2;
  for (const char* seed : {"00", "01", "02", "03"}) {
    request_.seed = seed;
    script_.log.clear();
    const Evaluation same = run();
    EXPECT_EQ(same.state, State::kOk);
    EXPECT_EQ(script_.count("judge reference"), 1);
    EXPECT_EQ(distributions(same), (std::vector<std::string>{"task", "task", "wide", "spikes"}));
  }
}

TEST_F(HardDrawTest, WhereTwoFilesAreComparedAndDifferTheReferenceDecides) {
  settings_.times = Times::kRough;
  settings_.correctness_draws = 1;
  script_.hard_error = 1e-3 * script_.eager_error;
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.count("judge reference"), 1) << "another run of eager differs by more";
  script_.log.clear();
  script_.hard_error = 3 * script_.eager_error;
  EXPECT_EQ(run().state, State::kOk) << "right, and not as near";
  EXPECT_EQ(script_.count("judge reference"), 3);
  settings_.correctness_draws = 4;
  script_.log.clear();
  script_.submission_error = [](int) { return 1e-12; };
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.count("judge reference"), 3) << "own draws are judged by eager's known error";
  script_.hard_error = 1;
  const Evaluation wrong = run();
  EXPECT_EQ(wrong.state, State::kWrongResult);
  EXPECT_TRUE(wrong.message.starts_with("on inputs with ")) << wrong.message;
}

TEST_F(HardDrawTest, WhereTwoFilesAreComparedAndAreSlowThreeOwnDrawsAreEnough) {
  settings_.times = Times::kRough;
  settings_.correctness_draws = 10;
  const auto own_draws = [&] {
    const auto all = distributions(run());
    return std::count(all.begin(), all.end(), "task");
  };
  EXPECT_EQ(own_draws(), 10);
  script_.eager_ns = script_.submission_ns = 1e8;
  EXPECT_EQ(own_draws(), 3);
}

// The first call starts threads, which stay on the cores that it has.
TEST_F(HardDrawTest, TheFirstCallHasEveryCoreAlsoWhereTheFirstDrawIsLeftOut) {
  request_.cores = {4, 5, 6, 7};
  settings_.surroundings.probe_core_ns = [](int core) { return core == 5 ? 100 : 150; };
  script_.hard_not_finite = 1;
  bool left_out_first = false;
  for (int seed = 0; seed < 16; ++seed) {
    request_.seed = fmt::format("{:02x}", seed);
    script_.core_of_first_call.reset();
    const Evaluation result = run();
    EXPECT_EQ(result.state, State::kOk);
    EXPECT_EQ(script_.core_of_first_call, std::optional(-1)) << request_.seed;
    left_out_first |= result.checks.front().distribution != "task";
  }
  EXPECT_TRUE(left_out_first);
}

TEST_F(HardDrawTest, TimedCallsAndBaselinesSeeTheTasksOwnInputs) {
  request_.submission.reset();
  (void)run();
  for (const std::string& name : script_.hard_draws) EXPECT_EQ(name, "");
}

}  // namespace
}  // namespace kbench
