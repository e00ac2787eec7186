// Runs on several lanes, which are real processes that measure nothing: pulled units, a lane that
// dies, a device that is lost, Ctrl-C, resuming, and a coordinator that is killed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "runner/core/usable_cores.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/exchange/pool_key.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/idle_threads.hpp"
#include "tests/fakes/lane_bench.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class LaneRoundTest : public RunTest {
 protected:
  LaneRoundTest() : lane_benches_(benches_.place) {
    lane_benches_.lanes.folder = folder_ / "lanes";
    fs::create_directories(lane_benches_.lanes.folder);
    for (const char* agent : {"a", "b", "c", "d"})
      submit(std::string(agent) + "/level1/019_relu.cpp");
  }
  RunOutcome run_on_lanes() {
    begin_with_tables();
    kept_ = KeptRun();
    lane_benches_.measured.clear();
    auto outcome = RunSession(lane_benches_, request_, terms_, kept_).run();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? std::move(*outcome) : RunOutcome();
  }
  Json& unit_of(const std::string& agent) { return lane_benches_.lanes.units[agent]; }
  [[nodiscard]] fs::path at(const std::string& name) const { return folder_ / ("lanes/" + name); }
  [[nodiscard]] std::vector<std::string> begun() const { return lane_lines(at("log")); }
  [[nodiscard]] std::vector<std::string> agents_stored() const {
    std::vector<std::string> agents;
    for (const Evaluation& row : stored()) agents.push_back(row.submission->agent);
    return agents;
  }
  // Lanes remove the lock of their device when they end, however they were asked to.
  void expect_nothing_left() const {
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(at("locks")))
      if (entry.path().extension() == ".lock") left.push_back(entry.path().filename());
    EXPECT_THAT(left, IsEmpty());
  }

  LaneBenches lane_benches_;
};

TEST_F(LaneRoundTest, UnitsArePulledAndEachRowIsThereOnce) {
  // One lane is held at its first unit until the other has had all the rest.
  unit_of("a") = {{"until", at("rest")}};
  unit_of("d") = {{"creates", at("rest")}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.rows, 4);
  const std::vector<std::string> agents = agents_stored();
  EXPECT_THAT(agents, UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(agents.at(0) + agents.at(1), "bc") << "as they ended";
  EXPECT_THAT(begun(),
              UnorderedElementsAre("cuda:0 a/level1/019_relu.cpp", "cuda:1 b/level1/019_relu.cpp",
                                   "cuda:1 c/level1/019_relu.cpp", "cuda:1 d/level1/019_relu.cpp"));
  EXPECT_NE(stored_run(outcome.run.id).finished_at, "");
  for (const Evaluation& row : kept_.rows) {
    EXPECT_EQ(row.run_id, outcome.run.id);
    EXPECT_EQ(row.sources.size(), 1U);
    EXPECT_NE(row.key, "");
    EXPECT_EQ(row.sandbox_level, "scripted");
  }
  EXPECT_THAT(kept_.told.lines, Not(HasSubstr("replaced")));
  expect_nothing_left();
}

TEST_F(LaneRoundTest, RowsAreThoseOfOneDevice) {
  lane_benches_.script.times_ns = benches_.script.times_ns = {{"a", 1e6}, {"c", 3e6}};
  lane_benches_.script.states = benches_.script.states = {{"b", State::kWrongResult}};
  lane_benches_.script.build_fails =
      benches_.script.build_fails = {{"d", {ErrorCode::kSubmission, "no ;", "write one"}}};
  request_.seed = 1;
  good_run();
  std::vector<Evaluation> alone = kept_.rows;
  run_on_lanes();
  std::vector<Evaluation> spread = kept_.rows;
  for (const Evaluation& row : spread)
    EXPECT_EQ(row.device_uuid.empty(), row.submission->agent == "d") << "each says who judged it";
  const auto settle = [](std::vector<Evaluation>& rows) {
    std::vector<Json> settled;
    for (Evaluation& row : rows) {
      row.run_id = row.started_at = row.device_uuid = "";
      settled.push_back(evaluation_json(row));
    }
    std::sort(settled.begin(), settled.end());
    return settled;
  };
  EXPECT_EQ(settle(spread), settle(alone));
  EXPECT_THAT(spread, SizeIs(4));
}

TEST_F(LaneRoundTest, TheLongestComeFirst) {
  submit("a/level1/023_softmax.cpp");
  request_.agent = "a";
  benches_.script.seconds = {{"level1/019_relu", 1}, {"level1/023_softmax", 9}};
  good_run();
  lane_benches_.lanes.devices = {"cuda:0"};
  run_on_lanes();
  EXPECT_THAT(lane_benches_.measured,
              ElementsAre("a/level1/023_softmax.cpp", "a/level1/019_relu.cpp"));
}

TEST_F(LaneRoundTest, EachDeviceMeasuresAllInTheOrderOfOne) {
  terms_.on_each_device = true;
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.rows, 8);
  std::set<std::string> keys;
  std::map<std::string, std::string> agents;  // by device
  for (const Evaluation& row : kept_.rows) {
    keys.insert(row.key);
    agents[row.device_uuid] += row.submission->agent;
    EXPECT_EQ(row.sources.size(), 1U);
  }
  EXPECT_THAT(keys, SizeIs(8));
  EXPECT_EQ(agents["GPU-cuda:0"], "abcd");
  EXPECT_EQ(agents["GPU-cuda:1"], "abcd");
  expect_nothing_left();
}

TEST_F(LaneRoundTest, WhatDoesNotCompileHasARowOfEachDeviceToo) {
  terms_.on_each_device = true;
  lane_benches_.script.build_fails = {{"b", {ErrorCode::kSubmission, "no ;", "write one"}}};
  EXPECT_EQ(run_on_lanes().rows, 8);
}

TEST_F(LaneRoundTest, TheUnitsOfALostDeviceAreLeftWhereEachMeasuresAll) {
  terms_.on_each_device = true;
  unit_of("b") = {{"loses", "cuda:1"}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_FALSE(outcome.is_complete());
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.left_pending, 2U) << "c and d of the lost device";
  EXPECT_EQ(outcome.rows, 6);
}

TEST_F(LaneRoundTest, ALaneThatDiesGoesOnWithItsOwnUnits) {
  terms_.on_each_device = true;
  unit_of("b") = {{"dies", "once"}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.rows, 8);
  EXPECT_THAT(begun(), SizeIs(9));
}

TEST_F(LaneRoundTest, CoresThatNoLaneHasAreAtWorkWhileLanesMeasure) {
  const int core = usable_cores().front();
  terms_.busy = true;
  lane_benches_.lanes.spare_cores = {core};
  for (const char* agent : {"a", "b"}) unit_of(agent) = {{"until", at("seen")}};
  bool has_looked = false;
  terms_.stop = [&] {
    if (begun().size() < 2 || std::exchange(has_looked, true)) return false;
    EXPECT_TRUE(await([&] { return keeps_busy(core); }, "work on the core"));
    folder_.write("lanes/seen", "");
    return false;
  };
  EXPECT_TRUE(run_on_lanes().is_complete());
  EXPECT_TRUE(has_looked);
  EXPECT_THAT(idle_threads(), IsEmpty()) << "and not longer";
}

TEST_F(LaneRoundTest, NoCoreIsAtWorkUnlessThatIsAsked) {
  lane_benches_.lanes.spare_cores = {usable_cores().front()};
  bool any = false;
  terms_.stop = [&] {
    any = any || !idle_threads().empty();
    return false;
  };
  EXPECT_TRUE(run_on_lanes().is_complete());
  EXPECT_FALSE(any);
}

// Was: nothing was said, and the calibration held for a quieter machine than was asked for.
TEST_F(LaneRoundTest, BusyCoresAreRefusedWhereLanesHaveAllOfThem) {
  terms_.busy = true;
  begin_with_tables();
  const auto refused = RunSession(lane_benches_, request_, terms_, kept_).run();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("--busy: the lanes have all cores"));
  EXPECT_THAT(refused.error().hint, HasSubstr("leave --busy out"));
  EXPECT_THAT(begun(), IsEmpty());
}

TEST_F(LaneRoundTest, AUnitWhoseLaneDiesIsTriedOnceMore) {
  unit_of("b") = {{"dies", "once"}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(begun(), SizeIs(5));
  EXPECT_THAT(kept_.told.lines, HasSubstr("was killed by signal 9 (Killed); it is replaced"));
  expect_nothing_left();
}

TEST_F(LaneRoundTest, AUnitThatKillsTwoLanesIsOurFault) {
  unit_of("b") = {{"dies", "always"}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_FALSE(outcome.is_complete());
  EXPECT_EQ(outcome.ours, 1);
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
  for (const Evaluation& row : stored())
    if (row.submission->agent == "b") {
      EXPECT_EQ(row.state, State::kInfrastructureError);
      EXPECT_THAT(row.message, HasSubstr("it was tried twice"));
      EXPECT_THAT(row.eager_reason, HasSubstr("not measured"));
    }
  EXPECT_NE(stored_run(outcome.run.id).finished_at, "");
}

// A unit that its lane could not even begin: a task's file that changed, for example.
TEST_F(LaneRoundTest, AUnitWithoutAResultIsTriedOnceMoreAndThenTheRunsOwn) {
  unit_of("b") = {{"fails", "relu.json was changed"}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_EQ(outcome.ours, 1);
  EXPECT_THAT(begun(), SizeIs(5));
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
  for (const Evaluation& row : stored())
    if (row.submission->agent == "b") {
      EXPECT_EQ(row.task, "level1/019_relu");
      EXPECT_EQ(row.state, State::kInfrastructureError);
      EXPECT_THAT(row.message, HasSubstr("relu.json was changed; it was tried twice"));
    }
}

TEST_F(LaneRoundTest, AResultThatIsNoRowIsTriedOnceMoreAndThenTheRunsOwn) {
  unit_of("b") = {{"answer", {{"task", 1}}}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_EQ(outcome.ours, 1);
  EXPECT_THAT(begun(), SizeIs(5));
  for (const Evaluation& row : stored())
    if (row.submission->agent == "b") {
      EXPECT_EQ(row.state, State::kInfrastructureError);
      EXPECT_THAT(row.message, HasSubstr("not an evaluation"));
    }
}

// Another machine of the pool answers while lanes measure.
TEST_F(LaneRoundTest, NoLaneMeasuresWhatAnotherRunHasAnswered) {
  request_.shard = ShardChoice{1, 1};
  request_.group = "night";
  terms_.exchange = folder_ / "shared";
  const PoolKey pool = keep_pool_key(benches_.place.state).value();
  ASSERT_TRUE(Exchange::make(*terms_.exchange, pool).ok());
  lane_benches_.lanes.devices = {"cuda:0"};
  bool has_answered = false;
  lane_benches_.script.while_preparing = [&] {
    if (std::exchange(has_answered, true)) return;
    RunTerms elsewhere = terms_;
    elsewhere.database = folder_ / "elsewhere.sqlite";
    KeptRun kept;
    const auto other = RunSession(benches_, request_, elsewhere, kept).run();
    EXPECT_TRUE(other.ok()) << other.error().message;
  };
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.answered, 4);
  EXPECT_THAT(begun(), IsEmpty());
}

TEST_F(LaneRoundTest, ADeviceThatIsLostLeavesAndTheOthersGoOn) {
  // Any lane may have the unit: what only the device says is said again by another.
  lane_benches_.script.states = {{"a", State::kInfrastructureError}};
  unit_of("a") = {{"loses", "cuda:0"}};
  unit_of("b") = {{"until", at("ends")}};  // it waits until the first has left
  RunOutcome outcome = run_on_lanes();
  ASSERT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.lost->message, "the device is lost");
  EXPECT_FALSE(outcome.is_complete()) << "exit code 3";
  EXPECT_EQ(outcome.left_pending, 0U);
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(begun(), SizeIs(5)) << "the unit was measured on both";
  EXPECT_NE(stored_run(outcome.run.id).finished_at, "") << "no row is missing";
  EXPECT_THAT(kept_.told.lines, HasSubstr("cuda:0 leaves the run: the device is lost"));
}

TEST_F(LaneRoundTest, WithoutAnyDeviceTheRestIsPending) {
  lane_benches_.lanes.devices = {"cuda:0"};
  unit_of("b") = {{"loses", "cuda:0"}};
  const RunOutcome outcome = run_on_lanes();
  ASSERT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.left_pending, 2U);
  EXPECT_THAT(agents_stored(), ElementsAre("a", "b")) << "a verdict stands";
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
}

TEST_F(LaneRoundTest, StopsAfterSoManyFailures) {
  lane_benches_.script.states = {{"a", State::kCrash}, {"b", State::kCrash}};
  terms_.max_failures = 1;
  unit_of("a") = {{"until", at("never")}};
  unit_of("b") = {{"creates", at("never")}};
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.rows, 2) << "what was at hand is stored";
  EXPECT_EQ(outcome.left_pending, 2U);
}

TEST_F(LaneRoundTest, CtrlCFinishesWhatIsAtHandOnEachAndResumingGoesOnWithOne) {
  // Both at work: only then is it pressed, and only then do they end.
  for (const char* agent : {"a", "b"}) unit_of(agent) = {{"until", at("pressed")}};
  int looks = 0;
  terms_.stop = [&] {
    if (begun().size() < 2) return false;
    if (++looks == 1) folder_.write("lanes/pressed", "");
    return true;
  };
  const RunOutcome outcome = run_on_lanes();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b"));
  EXPECT_EQ(outcome.left_pending, 2U);
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
  expect_nothing_left();

  terms_.stop = {};
  terms_.resume = "latest";
  request_ = RunRequest();
  lane_benches_.lanes.devices = {"cuda:1"};
  const RunOutcome resumed = run_on_lanes();
  EXPECT_EQ(resumed.run.id, outcome.run.id);
  EXPECT_TRUE(resumed.is_complete());
  EXPECT_EQ(resumed.rows, 4);
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
}

TEST_F(LaneRoundTest, ALaneThatCannotStartRefusesTheRun) {
  lane_benches_.lanes.orders["cuda:1"] = {{"fails", "start"}};
  begin_with_tables();
  const auto outcome = RunSession(lane_benches_, request_, terms_, kept_).run();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "there is no device");
  EXPECT_THAT(stored(), IsEmpty());
}

// However the coordinator ends, the kernel ends its lanes, and what is stored can be gone on with.
TEST_F(LaneRoundTest, AKilledCoordinatorLeavesNoLaneAndNoLock) {
  begin_with_tables();
  for (const char* agent : {"c", "d"}) unit_of(agent) = {{"until", at("never")}};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)RunSession(lane_benches_, request_, terms_, kept_).run();
    ::_exit(0);
  }
  EXPECT_TRUE(await([&] { return begun().size() == 4; }, "two rows, and two at hand"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const char* agent : {"c", "d"}) unit_of(agent) = Json::object();
  terms_.resume = "latest";
  request_ = RunRequest();
  const RunOutcome resumed = run_on_lanes();  // waits for no lock of theirs
  EXPECT_TRUE(resumed.is_complete());
  EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(kept_.told.lines, HasSubstr("2 of 4 rows are there"));
  expect_nothing_left();
}

// After a kill of any process at any time nothing runs on, no lock is held, and resuming ends with
// each row once.
class LaneKillsTest : public LaneRoundTest {
 protected:
  LaneKillsTest() {
    lane_benches_.lanes.devices = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"};
    for (const char* agent : {"e", "f", "g", "h"})
      submit(std::string(agent) + "/level1/019_relu.cpp");
    for (const char* agent : {"a", "b", "c", "d", "e", "f", "g", "h"})
      unit_of(agent) = {{"milliseconds", 3}};
  }
  // The coordinator, in a process of its own.
  pid_t start_run() {
    begin_with_tables();
    const pid_t child = ::fork();
    if (child != 0) return child;
    (void)RunSession(lane_benches_, request_, terms_, kept_).run();
    ::_exit(0);
  }
  [[nodiscard]] std::vector<pid_t> lanes() const {
    std::vector<pid_t> pids;
    for (const std::string& line : lane_lines(at("pids"))) pids.push_back(std::stoi(line));
    return pids;
  }
  void expect_all_are_gone() const {
    for (const pid_t pid : lanes())
      EXPECT_TRUE(await([&] { return !lives(pid); }, "the end of a lane"));
  }
  // Waits so long, or until the run has ended by itself.
  static void pause(pid_t run, int microseconds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{microseconds};
    siginfo_t over{};
    while (std::chrono::steady_clock::now() < until && over.si_pid == 0)
      (void)::waitid(P_PID, static_cast<id_t>(run), &over, WEXITED | WNOHANG | WNOWAIT);
  }
  // Killed before that, there is nothing to go on with.
  [[nodiscard]] bool has_run() const {
    const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    return store.ok() && find_run_named(*store, "latest").ok();
  }
  void expect_each_row_once() {
    const RunRequest asked = request_;
    if (has_run()) {
      terms_.resume = "latest";
      request_ = RunRequest();
    }
    EXPECT_TRUE(run_on_lanes().is_complete());
    EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d", "e", "f", "g", "h"));
    expect_nothing_left();
    request_ = asked;
    terms_.resume.reset();
    for (const fs::path& file : {terms_.database, at("pids"), at("log")}) fs::remove(file);
  }
};

constexpr int kKills = 10;  // kills of each

TEST_F(LaneKillsTest, OfTheCoordinator) {
  std::mt19937 random(1);
  for (int kill = 0; kill < kKills; ++kill) {
    const pid_t run = start_run();
    ASSERT_GT(run, 0);
    pause(run, static_cast<int>(random() % 200'000));
    ::kill(run, SIGKILL);
    ::waitpid(run, nullptr, 0);
    expect_all_are_gone();
    expect_each_row_once();
  }
}

TEST_F(LaneKillsTest, OfALane) {
  std::mt19937 random(2);
  for (int kill = 0; kill < kKills; ++kill) {
    const pid_t run = start_run();
    ASSERT_GT(run, 0);
    // Once all have begun: one that dies before that refuses the run.
    EXPECT_TRUE(await([&] { return begun().size() > 4U; }, "units that are measured"));
    const std::vector<pid_t> pids = lanes();
    pause(run, static_cast<int>(random() % 20'000));
    ::kill(pids.at(random() % pids.size()), SIGKILL);
    int status = -1;
    ::waitpid(run, &status, 0);
    EXPECT_EQ(status, 0) << "the coordinator goes on";
    expect_all_are_gone();
    EXPECT_THAT(agents_stored(), UnorderedElementsAre("a", "b", "c", "d", "e", "f", "g", "h"));
    expect_each_row_once();
  }
}

}  // namespace
}  // namespace kbench::test
