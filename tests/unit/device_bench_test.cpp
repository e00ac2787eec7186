// Runs whose bench is the machine's own: real compilers, sandbox, workers and processes, and an
// oracle that makes up its numbers (tests/fakes/scripted_oracle.cpp). Nothing is timed.
#include "runner/run/device_bench.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "runner/core/evaluation_json.hpp"
#include "runner/device/device_session.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/run/device_lane.hpp"
#include "runner/run/lane_order.hpp"
#include "tests/unit/scripted_oracle_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A submission whose forward has this body.
std::string with_body(const std::string& body) {
  return "#include \"task.h\"\n"
         "extern \"C\" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, "
         "kb_context*) { " +
         body + " }\n";
}

const std::string kRight = with_body("return 0;");
const std::string kCrashing = with_body("__builtin_trap();");
const std::string kNoCode = "#error not today\n";

class DeviceBenchTest : public ScriptedOracleTest {
 protected:
  DeviceBenchTest() {
    request_.checks_only = true;
    request_.tasks = {"019_relu"};
  }

  // The oracle has that name from now on: tests/fakes/scripted_oracle.cpp says what becomes of it.
  void oracle_is(const std::string& name) {
    benches_.place.oracle = folder_ / name;
    fs::copy_file(KBENCH_SCRIPTED_ORACLE, benches_.place.oracle);
  }
  void hand_in(const std::string& agent, const std::string& text,
               const std::string& task = "019_relu") {
    folder_.write("subs/" + agent + "/level1/" + task + ".cpp", text);
  }
  Result<RunOutcome> measured() {
    begin_with_tables();
    kept_ = KeptRun();
    DeviceSession device(benches_.place, SessionTurns::kOne);
    device.prepare();
    return RunSession(device, request_, terms_, kept_).run();
  }
  RunOutcome well_measured() {
    auto outcome = measured();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? std::move(*outcome) : RunOutcome();
  }
  void expect_interrupted_wait() {
    terms_.gives_up = [] { return true; };
    const auto outcome = measured();
    ASSERT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.error().message, HasSubstr("interrupted while it waited"));
    EXPECT_THAT(kept_.rows, IsEmpty());
  }
};

TEST_F(DeviceBenchTest, ARightSubmissionIsCheckedAndTheRowSaysByWhom) {
  hand_in("anna", kRight);
  const RunOutcome outcome = well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna ok")) << kept_.rows.at(0).message;
  const Evaluation& row = kept_.rows.at(0);
  EXPECT_TRUE(row.correct);
  EXPECT_FALSE(row.timed);
  EXPECT_NE(row.sandbox_level, "");
  EXPECT_THAT(row.sources, SizeIs(1));
  const kbench::Run run = stored_run(outcome.run.id);
  EXPECT_THAT(run.environment, HasSubstr("a scripted device"));
}

TEST_F(DeviceBenchTest, WhatTheOracleFindsWrongIsAWrongResult) {
  oracle_is("wrong");
  hand_in("anna", kRight);
  well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna wrong_result"));
  EXPECT_EQ(kept_.rows.at(0).correct, false);
}

TEST_F(DeviceBenchTest, WhatDoesNotCompileIsSaidAndTheOthersAreJudged) {
  hand_in("anna", kNoCode);
  hand_in("bert", kRight);
  const RunOutcome outcome = well_measured();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna compile_error", "level1/019_relu bert ok"));
  EXPECT_THAT(kept_.rows.at(0).message, HasSubstr("not today"));
}

TEST_F(DeviceBenchTest, WhereNothingCompilesNobodyWaitsForTheDevice) {
  hand_in("anna", kNoCode);
  Target cpu;
  cpu.device = "cpu";
  const auto held = take_measuring_lock(
      {.installation = &benches_.place, .target = &cpu, .what = "another", .turn_only = true});
  ASSERT_TRUE(held.ok()) << held.error().message;
  const RunOutcome outcome = well_measured();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna compile_error"));
  EXPECT_THAT(kept_.told.lines, HasSubstr("anna/level1/019_relu.cpp does not compile"));
}

// Was: a misspelt entry point waited for the device to be told so.
TEST_F(DeviceBenchTest, ALibraryWithoutItsEntryPointWaitsForNoDevice) {
  hand_in("anna", "extern \"C\" int kbench_foward() { return 0; }\n");
  Target cpu;
  cpu.device = "cpu";
  const auto held = take_measuring_lock(
      {.installation = &benches_.place, .target = &cpu, .what = "another", .turn_only = true});
  ASSERT_TRUE(held.ok()) << held.error().message;
  well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna missing_symbol"));
  EXPECT_EQ(kept_.rows.at(0).message, "the library has no kbench_forward");
  EXPECT_EQ(kept_.rows.at(0).hint, "it has kbench_foward: spell it kbench_forward");
  EXPECT_THAT(kept_.told.lines,
              HasSubstr("anna/level1/019_relu.cpp: the library has no kbench_forward"));
}

TEST_F(DeviceBenchTest, AnOracleWithoutADeviceEndsTheRunWithItsWords) {
  oracle_is("no_device");
  hand_in("anna", kRight);
  const auto outcome = measured();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(outcome.error().message, HasSubstr("no device answers"));
  EXPECT_THAT(kept_.rows, IsEmpty());
}

TEST_F(DeviceBenchTest, AnOracleThatDiesCostsOneRowAndAFreshOneGoesOn) {
  oracle_is("dies_at_001_square");
  request_.tasks = {"001_square_matrix_multiplication", "019_relu"};
  hand_in("anna", kRight);
  hand_in("anna", kRight, "001_square_matrix_multiplication");
  well_measured();
  EXPECT_THAT(told(), ::testing::UnorderedElementsAre(
                          "level1/001_square_matrix_multiplication anna infrastructure_error",
                          "level1/019_relu anna ok"));
}

TEST_F(DeviceBenchTest, ACrashIsTheSubmissionsAndTheNextOneIsJudged) {
  hand_in("anna", kCrashing);
  hand_in("bert", kRight);
  well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna crash", "level1/019_relu bert ok"));
}

TEST_F(DeviceBenchTest, ATaskThatDoesNotFitIsNobodysFault) {
  oracle_is("no_room");
  hand_in("anna", kRight);
  well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna does_not_fit"));
}

TEST_F(DeviceBenchTest, WhoIsInterruptedBeforeItHasTheDeviceMeasuresNothing) {
  hand_in("anna", kRight);
  expect_interrupted_wait();
}

TEST_F(DeviceBenchTest, AVendorsSideThatCannotBeHasItsReasonInTheRow) {
  hand_in("anna", kRight);
  request_.vendor = true;
  well_measured();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu anna ok"));
  EXPECT_THAT(kept_.rows.at(0).vendor_reason, HasSubstr("on a CPU there is no library"));
}

TEST_F(DeviceBenchTest, AJudgingProfileThatNobodyKnowsIsRefused) {
  hand_in("anna", kRight);
  request_.profile = "generous";
  const auto outcome = measured();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("generous"));
}

// --- a GPU ---

// A GPU that only the oracle has: no worker gets anywhere on it.
class GpuBenchTest : public DeviceBenchTest {
 protected:
  Evaluation measured_on_gpu(const std::string& oracle) {
    hand_in("anna", kRight);
    oracle_is(oracle);
    benches_.place.oracle_cuda = benches_.place.oracle;
    auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
    plan_.target.device = "cuda";
    plan_.target.gpu.emplace();
    plan_.target.gpu->uuid = "GPU-scripted";
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    DeviceBenches benches(*device_);
    auto bench = benches.make({request_, terms_, plan_, progress_});
    EXPECT_TRUE(bench.ok()) << bench.error().message;
    const auto taken = (*bench)->take_device("a check", 1);
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    const auto hello = (*bench)->start();
    EXPECT_TRUE(hello.ok()) << hello.error().message;
    if (!hello) return {};
    (void)(*bench)->finished_build_of(0);
    const Evaluation row = (*bench)->measure(0);
    (void)device_->take_starts();
    healthy_ = (*bench)->recover(row);
    starts_ = device_->take_starts();
    (*bench)->begin_end(false);
    (*bench)->wait_for_end();
    return row;
  }

  Plan plan_;
  std::optional<DeviceSession> device_;
  KeptProgress progress_;
  Status healthy_ = Done{};
  std::vector<std::string> starts_;  // for that
};

TEST_F(GpuBenchTest, ACheckThatDoesNotFitWaitsForTheWholeDevice) {
  const Evaluation row = measured_on_gpu("no_room");
  EXPECT_EQ(row.state, State::kDoesNotFit) << row.message;
  EXPECT_EQ(row.device_uuid, "GPU-scripted");
  EXPECT_THAT(progress_.lines, HasSubstr("it waits for the end of that run"));
  EXPECT_TRUE(healthy_.ok());
  EXPECT_THAT(starts_, IsEmpty()) << "nothing ran that could have harmed it";
}

TEST_F(GpuBenchTest, WhatMayHaveHarmedTheDeviceIsFollowedByAFreshOracle) {
  const Evaluation row = measured_on_gpu("dies_at_019_relu");
  EXPECT_EQ(row.state, State::kInfrastructureError) << row.message;
  EXPECT_TRUE(healthy_.ok()) << healthy_.error().message;
  EXPECT_THAT(starts_, ElementsAre("started an oracle"));
}

// --- profiles ---

class ProfiledBenchTest : public DeviceBenchTest {
 protected:
  // The profile of the side of the only unit.
  Result<BenchProfile> profiled(Side side) {
    request_.checks_only = false;
    auto plan = plan_run(request_, terms_, benches_.place);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    DeviceBenches benches(*device_);
    auto bench = benches.make({request_, terms_, plan_, progress_});
    if (!bench) return bench.error();
    if (auto taken = (*bench)->take_device("a profile", 1); !taken) return taken.error();
    if (auto hello = (*bench)->start(); !hello) return hello.error();
    auto taken = (*bench)->profile(0, side);
    (*bench)->begin_end(false);
    (*bench)->wait_for_end();
    return taken;
  }

  Plan plan_;
  std::optional<DeviceSession> device_;
  KeptProgress progress_;
};

TEST_F(ProfiledBenchTest, EagersCallsHaveTheOraclesTimes) {
  hand_in("anna", kRight);
  const auto taken = profiled(Side::kEager);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  ASSERT_THAT(taken->recorded.calls, Not(IsEmpty()));
  EXPECT_EQ(taken->recorded.calls.front().claimed_ns, 2'000'000);
  EXPECT_EQ(taken->device.name, "a scripted device");
  EXPECT_EQ(taken->peaks.copy_bytes_per_s, 1e9);
}

TEST_F(ProfiledBenchTest, ASubmissionsCallsAreMadeByAWorker) {
  hand_in("anna", kRight);
  const auto taken = profiled(Side::kSubmission);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_THAT(taken->recorded.calls, Not(IsEmpty()));
}

TEST_F(ProfiledBenchTest, WithoutAPythonThereIsNoCompiledBaselineToLookAt) {
  hand_in("anna", kRight);
  const auto taken = profiled(Side::kCompiled);
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(taken.error().message,
              HasSubstr("there is no compiled baseline: no Python with torch"));
}

TEST_F(ProfiledBenchTest, WhatDoesNotCompileOrCrashesHasNoProfile) {
  hand_in("anna", kNoCode);
  EXPECT_EQ(profiled(Side::kSubmission).error().code, ErrorCode::kSubmission);
  hand_in("anna", kCrashing);
  EXPECT_EQ(profiled(Side::kSubmission).error().code, ErrorCode::kSubmission);
}

// --- lanes ---

class DeviceLaneTest : public DeviceBenchTest {
 protected:
  LaneOrder order() {
    return {.request = request_, .size = "small", .what = "a test", .waits = true};
  }
  std::unique_ptr<LaneWork> lane() { return make_device_lane(benches_.place, progress_); }
  // A unit of a submission that compiled to `library`.
  LaneRequest unit(const fs::path& library) {
    auto task = load_task(fs::path(kTinySuites) / "level1/019_relu.json");
    EXPECT_TRUE(task.ok());
    task_ = std::move(*task);
    build_.library = library;
    UnitParts parts{
        .task = &task_, .build = &build_, .finished_build = [this]() -> auto& { return build_; }};
    parts.submission = SubmissionId{.agent = "anna", .name = "019_relu.cpp"};
    return {.ask = LaneAsk::kMeasure, .body = unit_json(parts)};
  }

  KeptProgress progress_;
  Task task_;
  SubmissionBuild build_;
};

TEST_F(DeviceLaneTest, AnOrderOfAnotherFormIsRefused) {
  EXPECT_EQ(lane()->take(Json::array()).error().code, ErrorCode::kBadInput);
}

TEST_F(DeviceLaneTest, MayNotRunOnCoresThatItDoesNotHave) {
  LaneOrder order = this->order();
  order.cores = {1022};
  const auto taken = lane()->take(lane_order_json(order));
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, HasSubstr("may not run on the cores"));
}

TEST_F(DeviceLaneTest, AJudgingProfileThatNobodyKnowsIsRefused) {
  LaneOrder order = this->order();
  order.request.profile = "generous";
  EXPECT_THAT(lane()->take(lane_order_json(order)).error().message, HasSubstr("generous"));
}

TEST_F(DeviceLaneTest, WithoutADeviceItSaysSoWhenItStarts) {
  oracle_is("no_device");
  const auto work = lane();
  ASSERT_TRUE(work->take(lane_order_json(order())).ok());
  EXPECT_THAT(work->start().error().message, HasSubstr("no device answers"));
}

TEST_F(DeviceLaneTest, AUnitThatCannotBeReadHasNoResultAndSaysWhy) {
  const auto work = lane();
  ASSERT_TRUE(work->take(lane_order_json(order())).ok());
  const auto facts = work->start();
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(lane_facts_from_json(*facts)->hello.facts.name, "a scripted device");
  const LaneResult unread = work->measure({.ask = LaneAsk::kMeasure, .body = Json::object()});
  ASSERT_TRUE(unread.failure);
  EXPECT_NE(unread.failure->message, "");
  EXPECT_FALSE(unread.lost) << "the device is as it was";
  const LaneResult missing = work->measure(unit(folder_ / "gone.so"));
  EXPECT_FALSE(missing.failure);
  const auto row = evaluation_from_json(missing.body);
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_EQ(row->task, "level1/019_relu");
  EXPECT_NE(row->state, State::kOk);
  EXPECT_FALSE(missing.lost);
  work->end(false);
}

TEST_F(DeviceLaneTest, IsStartedByACoordinatorOnly) {
  struct stat end {};
  if (::fstat(kLaneSocket, &end) == 0 && S_ISSOCK(end.st_mode))
    GTEST_SKIP() << "whoever started this test left a socket where a lane has its own";
  const auto served = serve_device_lane(benches_.place);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.error().code, ErrorCode::kUsage);
}

// Where tests/fakes/device_lane_program.cpp reads its installation.
constexpr const char* kInstallation = "KBENCH_TEST_INSTALLATION";

class LanesBenchTest : public DeviceBenchTest {
 protected:
  LanesBenchTest() {
    benches_.place.program = KBENCH_LANE_PROGRAM;
    terms_.devices = "cpu";
  }
  ~LanesBenchTest() override { ::unsetenv(kInstallation); }
  void tell_lane() const {
    const Installation& place = benches_.place;
    const Json said = {{"root", place.root},     {"suites", place.suites}, {"abi", place.abi},
                       {"oracle", place.oracle}, {"worker", place.worker}, {"cache", place.cache},
                       {"state", place.state},   {"locks", place.locks}};
    ::setenv(kInstallation, folder_.write("installation.json", said.dump()).c_str(), 1);
  }
};

TEST_F(LanesBenchTest, ALaneJudgesAsTheDeviceItselfDoes) {
  hand_in("anna", kRight);
  hand_in("bert", kCrashing);
  hand_in("carl", kNoCode);
  tell_lane();
  const RunOutcome outcome = well_measured();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_THAT(told(), ::testing::UnorderedElementsAre("level1/019_relu anna ok",
                                                      "level1/019_relu bert crash",
                                                      "level1/019_relu carl compile_error"));
  EXPECT_THAT(stored_run(outcome.run.id).environment, HasSubstr("a scripted device"));
}

TEST_F(LanesBenchTest, ALaneWithoutADeviceEndsTheRunWithItsWords) {
  oracle_is("no_device");
  hand_in("anna", kRight);
  tell_lane();
  const auto outcome = measured();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("no device answers"));
}

TEST_F(LanesBenchTest, WhoIsInterruptedBeforeALaneHasItsDeviceMeasuresNothing) {
  hand_in("anna", kRight);
  tell_lane();
  expect_interrupted_wait();
}

TEST_F(LanesBenchTest, WhoDoesNotWaitHasLanesThatDoNotWaitEither) {
  Target cpu;
  cpu.device = "cpu";
  const auto held =
      take_measuring_lock({.installation = &benches_.place, .target = &cpu, .what = "another"});
  ASSERT_TRUE(held.ok()) << held.error().message;
  hand_in("anna", kRight);
  tell_lane();
  terms_.no_wait = true;
  // A lane that waits says so, and would wait for ever.
  terms_.gives_up = [this] { return kept_.told.lines.find("waiting for") != std::string::npos; };
  const auto outcome = measured();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("another"));
  EXPECT_THAT(kept_.told.lines, Not(HasSubstr("waiting for")));
}

TEST_F(LanesBenchTest, ItsCoordinatorMeasuresAndProfilesNothing) {
  hand_in("anna", kRight);
  auto plan = plan_run(request_, terms_, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  DeviceSession device(benches_.place, SessionTurns::kOne);
  device.prepare();
  KeptProgress progress;
  DeviceBenches benches(device);
  const auto bench = benches.make({request_, terms_, *plan, progress});
  ASSERT_TRUE(bench.ok()) << bench.error().message;
  EXPECT_EQ((*bench)->measure(0).state, State::kInfrastructureError);
  EXPECT_THAT((*bench)->measure(0).message, HasSubstr("lanes measure"));
  EXPECT_EQ((*bench)->profile(0, Side::kEager).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace kbench::test
