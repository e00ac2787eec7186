// Defences of the evaluator against submissions that cheat, each on the scripted device.
#include <algorithm>

#include "runner/analysis/speedup.hpp"
#include "tests/unit/evaluator_fixture.hpp"

namespace kbench {
namespace {

class DefencesTest : public ScriptedEvaluation {
 protected:
  void expect_state(State state) {
    const Evaluation result = run();
    EXPECT_EQ(to_string(result.state), to_string(state)) << result.message;
    EXPECT_NE(result.message, "");
    EXPECT_NE(result.hint, "");
    EXPECT_EQ(fault_of(result.state), Fault::kSubmission);
  }

  void expect_busy_machine() {
    const Evaluation result = run();
    EXPECT_EQ(result.state, State::kOk) << result.message;
    EXPECT_EQ(result.labels, "busy_machine");
    const auto ratio = speedup(result, Side::kEager, Side::kSubmission);
    ASSERT_TRUE(ratio);
    EXPECT_EQ(ratio->verdict, Verdict::kNone) << "however clear it looks";
  }
};

TEST_F(DefencesTest, AnHonestSubmissionPassesAndLeavesItsFigures) {
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.null_call_ns,
            static_cast<std::int64_t>(script_.copy_ns + script_.flush_ns + script_.null_ns));
  EXPECT_GT(*result.null_strict_ns, *result.null_call_ns);
  EXPECT_EQ(result.repeats, 0);
  EXPECT_EQ(result.labels, "");
  int strict = 0;
  for (const Sample& sample : result.samples) {
    EXPECT_EQ(sample.strict_ns.has_value(), sample.side == Side::kSubmission);
    EXPECT_EQ(sample.claimed_ns.has_value(), sample.side == Side::kSubmission);
    strict += sample.strict_ns ? 1 : 0;
    if (sample.claimed_ns) {
      EXPECT_EQ(sample.time_ns, *sample.claimed_ns);
    }
  }
  EXPECT_GE(strict, 20) << "the strict clock runs in every timed call";
}

TEST_F(DefencesTest, AnOracleThatWakesUpSlowlyDoesNotMakeAnHonestSubmissionALiar) {
  script_.waking_ns = 2e6;
  EXPECT_EQ(run().state, State::kOk);
}

TEST_F(DefencesTest, WhyAClockWasHeldBackIsKept) {
  script_.clock_limits = 4;
  const Evaluation result = run();
  for (const Block& block : result.blocks) EXPECT_EQ(block.clock_limits, 4u);
  EXPECT_FALSE(result.blocks.empty());
}

TEST_F(DefencesTest, ABusyMachineIsALabel) {
  use_cpu();
  script_.others_run = true;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.labels, "busy_machine");
  const auto ratio = speedup(result, Side::kEager, Side::kSubmission);
  ASSERT_TRUE(ratio);
  EXPECT_GT(ratio->low, 3.8);
  EXPECT_EQ(ratio->verdict, Verdict::kNone) << "however clear it looks";
}

TEST_F(DefencesTest, OnABusyMachineSlowBaselinesAccuseNobody) {
  use_cpu();
  script_.slowed_beside_worker = 1.8;
  expect_state(State::kDeviceNotIdle);
  script_ = fakes::Script{};
  script_.slowed_beside_worker = 1.8;
  script_.others_run = true;
  EXPECT_EQ(run().state, State::kOk);
}

TEST_F(DefencesTest, WritingBesideAnOutputInACheck) {
  script_.audit = [](int call) {
    return call == 2 ? Audit{.outside_outputs = 4, .outside_at = "behind y"} : Audit{};
  };
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kRedzoneViolation);
  EXPECT_EQ(result.message,
            "4 bytes outside of the outputs were written to, the first of them behind y");
}

TEST_F(DefencesTest, WritingBesideAnOutputInATimedCallOnly) {
  script_.audit = [](int call) { return Audit{.outside_outputs = call == 19 ? 4u : 0u}; };
  expect_state(State::kRedzoneViolation);
}

TEST_F(DefencesTest, ChangingAnInput) {
  script_.audit = [](int) { return Audit{.inputs_changed = 1}; };
  expect_state(State::kInputModified);
}

TEST_F(DefencesTest, ChangingAParameterOnceTimingHasBegun) {
  script_.audit = [](int call) { return Audit{.params_changed = call > 7 ? 1u : 0u}; };
  expect_state(State::kInputModified);
}

TEST_F(DefencesTest, CallsThatAreCheckedAreAllLookedAtInFull) {
  settings_.times = Times::kNone;
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.full_audits, std::vector<bool>(5, true));
}

TEST_F(DefencesTest, WhichTimedCallsAreLookedAtInFullDependsOnTheSeed) {
  run();
  const auto once = script_.full_audits;
  script_ = fakes::Script{};
  request_.seed = "01";
  run();
  EXPECT_NE(once, script_.full_audits);
  const auto timed = std::vector<bool>(once.begin() + 5, once.end());
  const auto full = std::count(timed.begin(), timed.end(), true);
  EXPECT_GT(full, static_cast<std::ptrdiff_t>(timed.size()) / 10);
  EXPECT_LT(full, static_cast<std::ptrdiff_t>(timed.size()) / 2);
}

TEST_F(DefencesTest, WorkThatGoesOnAfterDoneIsSeenByTheStrictClock) {
  script_.leftover_ns = 3e6;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, WorkThatStartsBeforeGoIsSeenByTheStrictClock) {
  script_.submission_ns = 2e4;
  script_.eager_ns = 1e5;
  script_.compiled_ns = 1e5;
  script_.early_ns = 9e5;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, OnTheCpuTheClockIsTheTimeWhateverIsClaimed) {
  use_cpu();
  script_.hidden_ns = 5e6;  // hidden time of each call
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.repeats, 0);
  int seen = 0;
  for (const Sample& sample : result.samples) {
    if (sample.side != Side::kSubmission) continue;
    EXPECT_EQ(sample.time_ns, *sample.claimed_ns + 5'000'000 * sample.calls);
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

TEST_F(DefencesTest, OnTheCpuNoClaimAtAllIsNoLie) {
  use_cpu();
  script_.submission_ns = 0;
  script_.hidden_ns = 2e6;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  const auto time = median_time_ns(result.samples, Side::kSubmission);
  EXPECT_DOUBLE_EQ(time.value_or(0), 2e6);
}

TEST_F(DefencesTest, TimeThatIsNotAdmittedCountsEvenWhereItIsLittle) {
  script_.hidden_ns = 1.8e4;  // less than the noise that is granted to honest submissions
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  const auto ratio = speedup(result.samples, Side::kEager, Side::kSubmission, 0.01);
  EXPECT_NEAR(ratio->estimate, 4e6 / 1.018e6, 1e-3);
  for (const Sample& sample : result.samples) {
    if (sample.claimed_ns) {
      EXPECT_EQ(*sample.claimed_ns, 1'000'000);
    }
  }
}

// Seen on an H200 beside 32 busy loops: the kernel that hides 35 us behind its end event was ok.
TEST_F(DefencesTest, AHostThatWasSlowWhileTheWorkerStartedHidesNothing) {
  script_.null_before_loading_ns = 4e4;
  script_.hidden_ns = 3.5e4;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, AWorkerThatSlowsItsOwnEmptyCallsIsGrantedNothing) {
  script_.null_before_loading_ns = -4e4;
  script_.hidden_ns = 3.5e4;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, WhereTheHostDelaysEmptyCallsClocksAccuseNobody) {
  for (const bool afterwards : {false, true}) {
    script_ = fakes::Script{};
    script_.hidden_ns = 5e6;
    script_.late_nulls_one_in = 4;
    script_.late_nulls_afterwards = afterwards;
    expect_busy_machine();
  }
}

TEST_F(DefencesTest, WhereProgramsWaitForCoresClocksAccuseNobody) {
  script_.hidden_ns = 5e6;
  script_.waiting_share = 0.5;
  expect_busy_machine();
}

TEST_F(DefencesTest, AProgramThatWaitsForACoreNowAndThenIsNoExcuse) {
  script_.hidden_ns = 5e6;
  script_.waiting_share = 0.05;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, OneLateEmptyCallIsNoExcuse) {
  script_.hidden_ns = 5e6;
  script_.late_nulls_one_in = 20;
  expect_state(State::kTimingInconsistent);
}

TEST_F(DefencesTest, ABusyHostExcusesNoWorkLeftOnTheDevice) {
  script_.flush_beside_ns = 1e6;
  script_.late_nulls_one_in = 4;
  expect_state(State::kDeviceNotIdle);
}

TEST_F(DefencesTest, AHostThatIsBusyAndContradictsNobodyIsNotMentioned) {
  script_.late_nulls_one_in = 4;
  EXPECT_EQ(run().labels, "");
}

TEST_F(DefencesTest, AKernelLeftRunningSlowsTheOraclesFlush) {
  script_.flush_beside_ns = 1e6;
  expect_state(State::kDeviceNotIdle);
}

TEST_F(DefencesTest, AKernelLeftRunningSlowsTheBaselineThatFollows) {
  script_.slowed_baseline = 1.3;
  expect_state(State::kDeviceNotIdle);
}

TEST_F(DefencesTest, AKernelLeftRunningForGoodSlowsBaselinesInEveryVisit) {
  script_.slowed_beside_worker = 1.8;
  expect_state(State::kDeviceNotIdle);
}

TEST_F(DefencesTest, WhereBaselinesAreSlowedALittleTheirTimesAloneCount) {
  script_.eager_ns = 40e6;
  script_.compiled_ns = 20e6;
  script_.slowed_beside_worker = 1.02;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.labels, "eager_slowed compiled_slowed");
  const auto ratio = speedup(result, Side::kEager, Side::kSubmission);
  EXPECT_NEAR(ratio->estimate, 40, 1e-4) << "and not 40.8";
}

TEST_F(DefencesTest, BaselinesAreComparedWithTheirTimesAloneOnACpuToo) {
  use_cpu();
  script_.slowed_beside_worker = 1.3;
  expect_state(State::kDeviceNotIdle);
  script_ = fakes::Script{};
  script_.slowed_beside_worker = 1.2;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << "the machine does as much by itself: " << result.message;
  EXPECT_EQ(result.labels, "eager_slowed compiled_slowed");
  EXPECT_NEAR(speedup(result, Side::kEager, Side::kSubmission)->estimate, 4, 1e-3) << "not 4.8";
}

TEST_F(DefencesTest, WhereLaunchingIsMostOfTheTimeTheHostSlowsBaselinesByItself) {
  script_.slowed_beside_worker = 1.12;
  expect_state(State::kDeviceNotIdle);
  script_ = fakes::Script{};
  script_.slowed_beside_worker = 1.12;
  script_.launch_share = 0.9;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_NEAR(speedup(result, Side::kEager, Side::kSubmission)->estimate, 4, 1e-3) << "not 4.48";
}

TEST_F(DefencesTest, LibTorchInTheWorkerIsForbidden) {
  script_.mapped_code = {{"/lib/x86_64-linux-gnu/libc.so.6", CodeOrigin::kInstalled},
                         {"/elsewhere/libtorch_cpu.so", CodeOrigin::kInstalled}};
  expect_state(State::kForbiddenLibrary);
}

TEST_F(DefencesTest, AVendorLibraryMustBeDeclared) {
  script_.mapped_code = {{"/usr/local/cuda/lib64/libcublas.so.13", CodeOrigin::kInstalled}};
  expect_state(State::kForbiddenLibrary);
  request_.submission->vendor_library = true;
  EXPECT_EQ(run().state, State::kOk);
}

TEST_F(DefencesTest, CodeOfUnknownOriginIsForbiddenWhateverItsName) {
  script_.mapped_code = {{"/builds/0123.so", CodeOrigin::kSubmission}};
  EXPECT_EQ(run().state, State::kOk);
  script_.mapped_code = {{"/tmp/libm.so.6", CodeOrigin::kUnknown}};
  expect_state(State::kForbiddenLibrary);
}

// The look before the first call does not see it.
TEST_F(DefencesTest, CodeThatIsMappedInACallIsForbiddenWhereNothingIsTimedToo) {
  script_.mapped_code = {{"/tmp/own.so", CodeOrigin::kUnknown}};
  script_.maps_after = 1;
  expect_state(State::kForbiddenLibrary);
  settings_.times = Times::kNone;
  expect_state(State::kForbiddenLibrary);
}

TEST_F(DefencesTest, OnCpuTheWorkerOfEachPlacementIsLookedAtAfterItsCalls) {
  use_cpu();
  script_.mapped_code = {{"/tmp/own.so", CodeOrigin::kUnknown}};
  script_.maps_after = 1;
  for (const int worker : {1, 3}) {
    script_.workers_started = 0;
    script_.maps_in = worker;
    expect_state(State::kForbiddenLibrary);
    EXPECT_EQ(script_.workers_started, worker) << "no other one is started after it";
  }
}

TEST_F(DefencesTest, CodeThatIsMappedUnderLargeBiasesIsForbiddenAsWell) {
  request_.precision = "bf16";
  const Draw around_zero{.kind = Draw::Kind::kUniform, .a = -0.1, .b = 0.1};
  size_.parameters = {
      {.name = "bias", .dtype = DType::kBFloat16, .shape = {4}, .draw = around_zero}};
  script_.mapped_code = {{"/tmp/own.so", CodeOrigin::kUnknown}};
  script_.maps_after = 1;
  script_.maps_in = 2;
  expect_state(State::kForbiddenLibrary);
  EXPECT_EQ(script_.workers_started, 2);
}

// That is nobody's fault but the installation's, and nothing is excused by it.
TEST_F(DefencesTest, APythonToWhichOthersMayWriteIsNotTheSubmissionsFault) {
  script_.mapped_code = {{"/opt/python/lib/math.so", CodeOrigin::kExposed}};
  expect_state(State::kForbiddenLibrary);  // no Python is a part of a native worker
  script_.python = true;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kInfrastructureError);
  EXPECT_NE(result.message.find("others may write to /opt/python/lib/math.so"), std::string::npos);
  script_.mapped_code.push_back({"/tmp/own.so", CodeOrigin::kUnknown});
  EXPECT_EQ(run().state, State::kForbiddenLibrary);
}

TEST_F(DefencesTest, WhatRanTwiceWhileItShouldStandStillEndsTheEvaluation) {
  script_.call_failure = {12, EarlyEnd{State::kRanWhileStopped, "it ran", "it must not"}};
  script_.fails_again = true;
  expect_state(State::kRanWhileStopped);
}

TEST_F(DefencesTest, NobodyIsAccusedOfRunningWhileStoppedOnOneMeasurement) {
  script_.call_failure = {12, EarlyEnd{State::kRanWhileStopped, "it ran", "it must not"}};
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.repeats, 1);
  EXPECT_EQ(result.labels, "ran_while_stopped_once");
}

TEST_F(DefencesTest, MoreThanTenTimesEagerIsMeasuredAgainWithANewKey) {
  script_.submission_ns = 1.5e5;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.repeats, 1);
  EXPECT_EQ(script_.count("restart"), 1);
  EXPECT_EQ(script_.workers_started, 2);
  auto keys = script_.input_keys;
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(DefencesTest, TheFirstWorkerEndsAheadOfASecondMeasurement) {
  use_cpu();
  script_.submission_ns = 1.5e5;
  std::unique_ptr<Worker> taken;
  settings_.bury = [&](std::unique_ptr<Worker> worker) { taken = std::move(worker); };
  EXPECT_EQ(run().repeats, 1);
  EXPECT_FALSE(script_.worker_saw_restart);
  EXPECT_TRUE(taken);
}

TEST_F(DefencesTest, TheSecondMeasurementGoesOnUntilBothTogetherAreNarrow) {
  script_.submission_ns = 1.5e5;
  const Evaluation steady = run();
  script_ = fakes::Script{};
  script_.submission_ns = 1.5e5;
  script_.eager_drift = 1.3;
  const Evaluation drifting = run();
  EXPECT_EQ(drifting.repeats, 1);
  EXPECT_GT(drifting.samples.size(), steady.samples.size());
  const auto both = speedup(drifting.samples, Side::kEager, Side::kSubmission, 0.01);
  // 2 % of the logarithm is what the stop rule allows a speed-up that is far from 1.
  EXPECT_LE(both->half_width(), 0.02 * std::log(both->estimate));
}

TEST_F(DefencesTest, NobodyIsAccusedOfLyingOnOneMeasurement) {
  script_.hidden_ns = 5e6;
  script_.hides_once = true;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.repeats, 1);
  EXPECT_EQ(result.labels, "timing_inconsistent_once");
  EXPECT_NEAR(*median_time_ns(result.samples, Side::kSubmission), 1e6, 1) << "of the second alone";
}

TEST_F(DefencesTest, AMeasurementThatReplacesOneMustNotBeTooGoodEither) {
  script_.hidden_ns = 5e6;
  script_.hides_once = true;
  script_.submission_ns = 1.5e5;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.repeats, 2);
  EXPECT_EQ(script_.workers_started, 4) << "one asks whether the host was busy";
}

TEST_F(DefencesTest, OracleAndWorkerLaunchFromTheSameQuietCore) {
  request_.cores = {4, 5, 6, 7};
  int probes = 0;
  // Somebody works on the other half of core 5 all the time, and of core 6 from some moment on.
  settings_.surroundings.probe_core_ns = [&](int core) {
    ++probes;
    if (core == 4 || core == 5) return 150;
    if (core == 6) return probes > 40 ? 150 : 100;
    return 101;
  };
  script_.launch_share = 0.5;
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.oracle_core, 7);
  EXPECT_EQ(script_.worker_core, 7);
}

// A thread runs where its starter did: what a submission starts while it loads would share one
// core.
TEST_F(DefencesTest, ASubmissionLoadsOnEveryCore) {
  request_.cores = {4, 5, 6, 7};
  settings_.surroundings.probe_core_ns = [&](int core) { return core == 5 ? 100 : 150; };
  EXPECT_EQ(run().state, State::kOk);
  EXPECT_EQ(script_.core_while_loading, -1);
  EXPECT_EQ(script_.worker_core, 5);
}

TEST_F(DefencesTest, WhereLaunchingIsNothingCoresAreAskedSeldom) {
  request_.cores = {4, 5, 6, 7};
  int probes = 0;
  settings_.surroundings.probe_core_ns = [&](int) { return ++probes; };
  script_.launch_share = 0.5;
  ASSERT_EQ(run().state, State::kOk);
  const int where_it_matters = std::exchange(probes, 0);
  script_.launch_share = 0.01;
  ASSERT_EQ(run().state, State::kOk);
  EXPECT_LT(probes, where_it_matters / 4);
}

TEST_F(DefencesTest, WhereTwoMeasurementsDisagreeAThirdTells) {
  script_.submission_ns = 1.5e5;
  script_.factor_when_repeated = 3;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.labels, "unstable");
  EXPECT_EQ(result.attempts.size(), 3u);
  EXPECT_NEAR(*median_time_ns(result.samples, Side::kSubmission), 4.5e5, 1) << "two of three";
}

TEST_F(DefencesTest, BelowTheFloorTwiceIsSuspect) {
  script_.peaks = {.copy_bytes_per_s = 1e9, .matmul_flops_per_s = 1e12};
  size_.work.read_bytes = size_.work.written_bytes = 4e6;  // at 1 GB/s
  expect_state(State::kSuspect);
  EXPECT_EQ(script_.count("restart"), 1);
}

// Was suspect: the peaks of a whole run were measured beside another program, once.
TEST_F(DefencesTest, BelowAFloorOfPeaksThatWereTooLowIsNot) {
  script_.peaks = {.copy_bytes_per_s = 1e9, .matmul_flops_per_s = 1e12};
  script_.peaks_again = DevicePeaks{.copy_bytes_per_s = 1e12, .matmul_flops_per_s = 1e12};
  size_.work.read_bytes = size_.work.written_bytes = 4e6;
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(result.attempts.size(), 2u);
  EXPECT_LT(*result.floor_ns, 1e5);
}

TEST_F(DefencesTest, ThePeaksAreKnownBeforeTheSubmissionLoads) {
  run();
  const auto position = [this](const char* entry) {
    return std::find(script_.log.begin(), script_.log.end(), entry) - script_.log.begin();
  };
  ASSERT_EQ(script_.count("peaks"), 1);
  EXPECT_LT(position("peaks"), position("load")) << "it could keep the device busy meanwhile";
}

TEST_F(DefencesTest, AWrongResultInTheSecondMeasurementCounts) {
  script_.submission_ns = 1.5e5;
  script_.submission_error = [this](int) { return script_.restarted ? 1.0 : 0.0; };
  expect_state(State::kWrongResult);
}

TEST_F(DefencesTest, OnCpuBlocksWhoseCoresOthersTookAreDropped) {
  use_cpu();
  int readings = 0;
  // The hypervisor takes 100 ms in every third block.
  settings_.surroundings.stolen_ns = [&readings] {
    return std::int64_t{readings++ % 6 == 1 ? 100'000'000 : 0};
  };
  const Evaluation result = run();
  EXPECT_EQ(result.state, State::kOk) << result.message;
  const auto dropped = std::count_if(result.samples.begin(), result.samples.end(),
                                     [](const Sample& sample) { return sample.dropped; });
  EXPECT_GT(dropped, 0);
}

}  // namespace
}  // namespace kbench
