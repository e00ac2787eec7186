// A run from its request to its outcome, on a bench that measures nothing: rows, resuming, Ctrl-C,
// a lost device, the queue at the device, a database that cannot be written.
#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include "runner/core/labels.hpp"
#include "runner/installation/git_state.hpp"
#include "runner/os/run_trusted.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// Three submissions for one task: a, b, c.
class RunSessionTest : public RunTest {
 protected:
  RunSessionTest() {
    for (const char* agent : {"a", "b", "c"}) submit(std::string(agent) + "/level1/019_relu.cpp");
  }
  static std::vector<std::string> names(std::initializer_list<const char*> agents) {
    std::vector<std::string> names;
    for (const char* agent : agents) names.push_back(std::string(agent) + "/level1/019_relu.cpp");
    return names;
  }
  // Stops once this agent's submission is being measured.
  void stop_at(const std::string& agent) {
    terms_.stop = [this] { return stopping_; };
    benches_.script.while_measuring = [this, agent](const PlannedRow& unit) {
      stopping_ = stopping_ || unit.id.agent == agent;
    };
  }
  void never_stop() {
    stopping_ = false;
    terms_.stop = {};
    benches_.script.while_measuring = [](const PlannedRow&) {};
  }
  bool stopping_ = false;
};

// --- rows ---

TEST_F(RunSessionTest, EndsAsAFinishedRunWithItsRows) {
  terms_.command_line = "kbench run of a test";
  const RunOutcome outcome = good_run();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.rows, 3);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_EQ(kept_.ended, 1);
  const kbench::Run run = stored_run(outcome.run.id);
  EXPECT_NE(run.finished_at, "");
  EXPECT_EQ(run.command_line, "kbench run of a test");
  EXPECT_EQ(Json::parse(run.environment).at("device").at("name"), "a scripted device");
  EXPECT_EQ(Json::parse(run.configuration).at("torch"), "2.11.0");
}

TEST_F(RunSessionTest, TellsEachRowWithItsSources) {
  good_run();
  ASSERT_EQ(kept_.rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Evaluation& row = kept_.rows[i];
    ASSERT_EQ(row.sources.size(), 1U);
    EXPECT_EQ(row.sources[0].path, "src/019_relu.cpp");
    ASSERT_EQ(kept_.blobs[i].size(), 2U) << "the source, and the task's own";
    EXPECT_EQ(kept_.blobs[i][0].hash, row.sources[0].hash);
    EXPECT_EQ(kept_.blobs[i][1].hash, row.task_source);
    EXPECT_EQ(row.sandbox_level, "scripted");
    EXPECT_EQ(row.protocol, kProtocol);
  }
}

// Where the files change later, `kbench compare --remeasure` and a night find the sources there.
TEST_F(RunSessionTest, KeepsTheCommitOfItsSubmissionsAndTheFilesThatItSaw) {
  const auto git = [this](std::vector<std::string> words) {
    std::vector<std::string> argv{"/usr/bin/env",
                                  "GIT_CONFIG_GLOBAL=/dev/null",
                                  "GIT_AUTHOR_NAME=a",
                                  "GIT_AUTHOR_EMAIL=a@b",
                                  "GIT_COMMITTER_NAME=a",
                                  "GIT_COMMITTER_EMAIL=a@b",
                                  "git",
                                  "-C",
                                  (folder_ / "subs").string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_trusted(argv, kPatience).ok();
  };
  if (!git({"init", "-q"})) GTEST_SKIP() << "there is no git";
  ASSERT_TRUE(git({"add", "-A"}) && git({"commit", "-q", "-m", "x"}));
  Json facts = Json::parse(stored_run(good_run().run.id).environment);
  EXPECT_EQ(facts["submissions"]["commit"], git_state(folder_ / "subs").value().commit);
  EXPECT_EQ(facts["submissions"]["dirty"], false);
  EXPECT_EQ(facts["files"]["evaluated"], 3);
}

TEST_F(RunSessionTest, ARunHasTheIdThatWasAskedFor) {
  terms_.id = "5e1ec7ed00000000000000000000abcd";
  EXPECT_EQ(good_run().run.id, terms_.id);
}

TEST_F(RunSessionTest, TheSameRequestHasTheSameKeys) {
  good_run();
  const std::vector<Evaluation> first = kept_.rows;
  request_.allow_torch = "all";  // no choice for what is not Python
  good_run();
  std::set<std::string> keys;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kept_.rows[i].key, first[i].key);
    keys.insert(first[i].key);
  }
  EXPECT_EQ(keys.size(), 3U);
  request_.precision = "fp32";
  good_run();
  EXPECT_NE(kept_.rows[0].key, first[0].key);
}

// A key that lacks something makes a server answer with the row of another thing, and a resumed run
// keep it.
TEST_F(RunSessionTest, AKeyHasAllThatARowDependsOn) {
  request_.agent = "a";
  std::filesystem::copy(kTinySuites, folder_ / "suite", std::filesystem::copy_options::recursive);
  request_.suite = folder_ / "suite";
  good_run();
  const std::string usual = kept_.rows.at(0).key;
  const RunRequest request = request_;
  const BenchScript script = benches_.script;
  const auto differs = [&](const char* what, auto&& change) {
    change();
    good_run();
    EXPECT_NE(kept_.rows.at(0).key, usual) << what;
    request_ = request;
    benches_.script = script;
  };
  differs("size", [&] { request_.size = "full"; });
  differs("precision class", [&] { request_.precision = "fp32"; });
  differs("profile", [&] { request_.profile = "another"; });
  differs("timed or not", [&] { request_.checks_only = true; });
  differs("seed", [&] { request_.seed = 7; });
  differs("host compiler", [&] { benches_.script.compiler = "g++ 13"; });
  differs("nvcc", [&] { benches_.script.nvcc = "nvcc 13"; });
  differs("device", [&] { benches_.script.device_name = "another device"; });
  good_run();
  EXPECT_EQ(kept_.rows.at(0).key, usual);
  const std::string source = "// a/level1/019_relu.cpp\nint nothing;\n";
  differs("source", [&] { folder_.write("subs/a/level1/019_relu.cpp", source + " "); });
  folder_.write("subs/a/level1/019_relu.cpp", source);
  folder_.write("subs/b/level1/019_relu.cpp", source);
  differs("agent", [&] { request_.agent = "b"; });
  std::ifstream written(folder_ / "suite/level1/019_relu.json");
  Json task = Json::parse(written);
  differs("task", [&] { folder_.write("suite/level1/019_relu.json", task.dump(3)); });
}

TEST_F(RunSessionTest, WhatTorchMayDoIsOfTheKeyOfPythonOnly) {
  folder_.write("subs/p/level1/019_relu.py", "class ModelNew: pass\n");
  request_.agent = "p";
  good_run();
  const std::string usual = kept_.rows.at(0).key;
  EXPECT_EQ(kept_.rows[0].allow_torch, "data");
  request_.allow_torch = "all";
  good_run();
  EXPECT_NE(kept_.rows.at(0).key, usual);
}

// Also where nothing was measured, and in the part that is resumed.
TEST_F(RunSessionTest, ARowOfAKnownSeedIsLabelledAndHasAKeyOfItsOwn) {
  good_run();
  const std::string usual = kept_.rows.at(0).key;
  EXPECT_EQ(kept_.rows[0].labels, "");
  request_.seed = 7;
  benches_.script.build_fails = {{"b", {ErrorCode::kSubmission, "no ;", ""}}};
  stop_at("a");
  good_run();
  const std::vector<Evaluation> first = kept_.rows;
  EXPECT_NE(first.at(0).key, usual) << "else a server would answer with it";
  never_stop();
  resumed();
  ASSERT_EQ(kept_.rows.size(), 2U);
  for (const Evaluation& row : {first.at(0), kept_.rows[0], kept_.rows[1]})
    EXPECT_EQ(row.labels, kKnownInputsLabel) << to_string(row.state);
  request_ = RunRequest();
  request_.seed = 8;
  terms_.resume = "latest";
  EXPECT_THAT(refused_run().message, HasSubstr("another seed: 7 then, 8 now"));
}

// Whether it was measured, failed to build, or needed neither.
TEST_F(RunSessionTest, EachRowSaysWhatItIsOf) {
  folder_.write("subs/d/level1/019_relu.py", "import torch\nclass ModelNew: pass\n");
  request_.precision = "fp32";
  request_.allow_torch = "all";
  benches_.script.build_fails = {{"b", {ErrorCode::kSubmission, "no ;", ""}}};
  benches_.script.build_seconds = {{"a", 2.5}};
  const RunOutcome outcome = good_run();
  ASSERT_EQ(kept_.rows.size(), 4U);
  for (const Evaluation& row : kept_.rows) {
    const std::string who = row.submission.value().agent;
    EXPECT_EQ(row.run_id, outcome.run.id) << who;
    EXPECT_EQ(row.task, "level1/019_relu") << who;
    EXPECT_EQ(row.level, 1) << who;
    EXPECT_EQ(row.size, "small") << who;
    EXPECT_EQ(row.device, "cpu") << who;
    EXPECT_EQ(row.task_hash, kept_.rows[0].task_hash) << who;
    EXPECT_FALSE(row.task_hash.empty()) << who;
    EXPECT_TRUE(row.timed) << who;
    EXPECT_FALSE(row.started_at.empty()) << who;
    EXPECT_EQ(row.worker_kind, who == "d" ? "python" : "native") << who;
    EXPECT_EQ(row.allow_torch, who == "d" ? "all" : "") << who;
    EXPECT_EQ(row.build_seconds, who == "a" ? std::optional(2.5) : std::nullopt) << who;
  }
  const Evaluation& failed = kept_.rows[1];
  EXPECT_EQ(failed.precision, "fp32");
  EXPECT_EQ(failed.profile, request_.profile);
  for (const std::string& reason :
       {failed.eager_reason, failed.compiled_reason, failed.submission_reason})
    EXPECT_EQ(reason, "not measured: compile_error");
}

TEST_F(RunSessionTest, WhereNothingIsTimedEachRowSaysSo) {
  benches_.script.build_fails = {{"b", {ErrorCode::kSubmission, "no ;", ""}}};
  request_.checks_only = true;
  EXPECT_FALSE(good_run().timed);
  for (const Evaluation& row : kept_.rows) EXPECT_FALSE(row.timed);
  EXPECT_EQ(kept_.rows[1].eager_reason, kNotTimed);
  EXPECT_THAT(benches_.script.prepared, IsEmpty()) << "no baseline is built";
}

TEST_F(RunSessionTest, BaselinesAreBuiltForWhatIsYetToBeTimed) {
  benches_.script.build_fails = {{"b", {ErrorCode::kSubmission, "no ;", ""}}};
  stop_at("a");
  good_run();
  EXPECT_THAT(benches_.script.prepared, ElementsAre(0U, 2U));
  never_stop();
  resumed();
  EXPECT_THAT(benches_.script.prepared, ElementsAre(2U)) << "the first has its row";
}

TEST_F(RunSessionTest, WhoWaitsForTheDeviceIsToldHowLongItTakes) {
  benches_.script.seconds = {{"level1/019_relu", 5}};
  good_run();
  EXPECT_EQ(benches_.script.run_seconds, 0) << "nobody knows yet";
  EXPECT_THAT(benches_.script.turns, ElementsAre(0, 0, 0));
  good_run();
  EXPECT_EQ(benches_.script.run_seconds, 15);
  EXPECT_THAT(benches_.script.turns, ElementsAre(5, 5, 5));
  submit("a/level1/023_softmax.cpp");
  good_run();
  EXPECT_EQ(benches_.script.run_seconds, 0) << "of the new one nobody knows";
  request_.checks_only = true;
  good_run();
  EXPECT_EQ(benches_.script.turns.size(), 3U) << "a check gives none away before its first unit";
  EXPECT_EQ(benches_.script.turns[0], 0) << "that it was timed says nothing of checks";
  good_run();
  EXPECT_EQ(benches_.script.turns[0], 5) << "as the check before";
}

TEST_F(RunSessionTest, SaysWhatItIsAboutToDo) {
  submit("a/level1/023_softmax.cpp");
  good_run();
  EXPECT_THAT(kept_.told.lines, HasSubstr("2 tasks, small on cpu\n"));
  EXPECT_THAT(kept_.told.lines, HasSubstr("files: evaluated 4"));
  request_.tasks = {"023_softmax"};
  good_run();
  EXPECT_THAT(kept_.told.lines, HasSubstr("1 task, small on cpu\n"));
}

TEST_F(RunSessionTest, ADeviceThatIsLostIsNotKept) {
  good_run();
  EXPECT_EQ(benches_.script.ended_lost, false);
  EXPECT_EQ(benches_.script.awaited_ends, 1);
  benches_.script.loses_device = {"a"};
  good_run();
  EXPECT_EQ(benches_.script.ended_lost, true);
  EXPECT_EQ(benches_.script.awaited_ends, 2);
}

TEST_F(RunSessionTest, AnOrderDecidesWhenARowIsMeasuredAndNotWhichThereAre) {
  request_.seed = 7;
  terms_.order = UnitOrder::kShuffled;
  good_run();
  const std::vector<std::string> shuffled = benches_.measured;
  EXPECT_THAT(shuffled, UnorderedElementsAreArray(names({"a", "b", "c"})));
  good_run();
  EXPECT_EQ(benches_.measured, shuffled) << "a seed repeats its order, too";
}

TEST_F(RunSessionTest, HowLongATaskTakesIsKnownByRunsOfTheSameKind) {
  request_.agent = "a";
  submit("a/level1/023_softmax.cpp");
  const std::string relu = "a/level1/019_relu.cpp";
  const std::string softmax = "a/level1/023_softmax.cpp";
  const auto run_as = [this](bool quick, bool checks_only) {
    request_.quick = quick;
    request_.checks_only = checks_only;
    good_run();
    return benches_.measured;
  };
  benches_.script.seconds = {{"level1/019_relu", 1}, {"level1/023_softmax", 9}};
  run_as(false, false);
  benches_.script.seconds = {{"level1/019_relu", 5}, {"level1/023_softmax", 2}};
  run_as(true, false);
  benches_.script.seconds.clear();
  terms_.order = UnitOrder::kLongest;
  EXPECT_THAT(run_as(false, false), ElementsAre(softmax, relu));
  EXPECT_THAT(run_as(true, false), ElementsAre(relu, softmax));
  EXPECT_THAT(run_as(false, true), ElementsAre(relu, softmax)) << "as tasks lie: none was checked";
}

TEST_F(RunSessionTest, CountsWhoseFaultAFailureIs) {
  benches_.script.states = {{"a", State::kWrongResult}, {"b", State::kDoesNotFit}};
  RunOutcome outcome = good_run();
  EXPECT_EQ(outcome.failed, 2);
  EXPECT_EQ(outcome.ours, 0) << "what does not fit is nobody's fault";
  EXPECT_TRUE(outcome.is_complete());
  benches_.script.states["c"] = State::kInfrastructureError;
  outcome = good_run();
  EXPECT_EQ(outcome.failed, 3);
  EXPECT_EQ(outcome.ours, 1);
  EXPECT_FALSE(outcome.is_complete());
}

// Was: the last line of a run without a verdict read like that of a good one.
TEST_F(RunSessionTest, RowsThatABusyMachineKeptFromAVerdictAreCounted) {
  benches_.script.times_ns = {{"a", 1e6}, {"b", 1e6}, {"c", 1e6}};
  benches_.script.busy = {"a", "c"};
  benches_.script.states["c"] = State::kWrongResult;
  EXPECT_EQ(good_run().busy, 1) << "c failed: it has no verdict on any machine";
  EXPECT_EQ(resumed().busy, 1) << "rows that were there count as well";
}

TEST_F(RunSessionTest, ABuildThatFailsIsARowWithItsReason) {
  benches_.script.build_fails = {{"a", {ErrorCode::kSubmission, "no ;", "write one"}},
                                 {"b", {ErrorCode::kNotFound, "no compiler", ""}},
                                 {"c", {ErrorCode::kInfrastructure, "disk full", ""}}};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu a compile_error", "level1/019_relu b skipped",
                                  "level1/019_relu c infrastructure_error"));
  EXPECT_EQ(kept_.rows[0].message, "no ;");
  EXPECT_EQ(kept_.rows[0].hint, "write one");
  EXPECT_EQ(kept_.rows[0].protocol, kProtocol) << "rows of a run rank together";
  EXPECT_EQ(kept_.rows[0].sources.size(), 1U) << "kept all the same";
  EXPECT_THAT(benches_.measured, IsEmpty());
}

TEST_F(RunSessionTest, ABuildMayFailWhileItIsMeasured) {
  request_.agent = "a";
  benches_.script.builds_late = true;
  benches_.script.build_fails = {{"a", {ErrorCode::kSubmission, "no ;", ""}}};
  good_run();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu a compile_error"));
  EXPECT_EQ(benches_.measured.size(), 1U);
}

TEST_F(RunSessionTest, ATaskThatJudgesNobodyIsOurFault) {
  benches_.script.unjudged = "its graph computes something else";
  const RunOutcome outcome = good_run();
  EXPECT_EQ(outcome.ours, 3);
  EXPECT_EQ(kept_.rows[0].message, "its graph computes something else");
  EXPECT_THAT(kept_.rows[0].hint, HasSubstr("no submission is to blame"));
}

TEST_F(RunSessionTest, WithoutAPlaceForTheKeyRowsAreUnchainedAndItIsSaid) {
  benches_.place.state.clear();
  good_run();
  EXPECT_THAT(kept_.told.lines, HasSubstr("rows are stored unchained"));
}

// --- what refuses a run ---

TEST_F(RunSessionTest, WhoCannotShowARunRefusesItBeforeAnythingStarts) {
  KeptRun sink;
  sink.refusal = Error{ErrorCode::kUsage, "nobody can read that", ""};
  const auto outcome = RunSession(benches_, request_, terms_, sink).run();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "nobody can read that");
  EXPECT_EQ(benches_.made, 0);
  EXPECT_FALSE(fs::exists(terms_.database));
}

TEST_F(RunSessionTest, AReportThatFailsIsTheRunsErrorAndRowsAreKept) {
  KeptRun sink;
  sink.report_fails = Error{ErrorCode::kInfrastructure, "the page is full", ""};
  const auto outcome = RunSession(benches_, request_, terms_, sink).run();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "the page is full");
  EXPECT_EQ(stored().size(), 3U);
}

TEST_F(RunSessionTest, AnOracleThatCannotStartEndsTheRunWithoutARow) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no LibTorch", ""};
  EXPECT_EQ(refused_run().message, "no LibTorch");
  EXPECT_THAT(stored(), IsEmpty());
  EXPECT_EQ(kept_.ended, 0);
}

TEST_F(RunSessionTest, AFolderIsNoDatabase) {
  terms_.database = folder_.path();
  EXPECT_EQ(refused_run().code, ErrorCode::kUsage);
  terms_.database = folder_ / "nowhere/kbench.sqlite";
  EXPECT_EQ(refused_run().code, ErrorCode::kUsage);
  EXPECT_EQ(benches_.made, 0) << "before a plan, and before anything is started";
  terms_.database = folder_.write("text.sqlite", "this is no database, but long enough for one\n");
  EXPECT_THAT(refused_run().message, HasSubstr("text.sqlite"));
  EXPECT_THAT(benches_.measured, IsEmpty());
}

// --- Ctrl-C ---

TEST_F(RunSessionTest, StopsAfterTheRowAtHand) {
  stop_at("b");
  const RunOutcome outcome = good_run();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_FALSE(outcome.is_complete());
  EXPECT_THAT(told(), ElementsAre("level1/019_relu a ok", "level1/019_relu b ok"));
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
  EXPECT_EQ(kept_.ended, 1) << "what there is is reported";
}

TEST_F(RunSessionTest, StopsBeforeTheFirstRow) {
  terms_.stop = [] { return true; };
  EXPECT_TRUE(good_run().interrupted);
  EXPECT_THAT(benches_.measured, IsEmpty());
}

// Was: forgotten where the compiled baselines were not interrupted themselves.
TEST_F(RunSessionTest, StopsAfterTasksWereChecked) {
  benches_.script.while_preparing = [] { ::raise(SIGINT); };
  EXPECT_TRUE(good_run().interrupted);
  EXPECT_THAT(benches_.measured, IsEmpty());
}

TEST_F(RunSessionTest, CtrlCStoresTheRowAtHand) {
  benches_.script.while_measuring = [](const PlannedRow& unit) {
    if (unit.id.agent == "b") ::raise(SIGINT);
  };
  EXPECT_TRUE(good_run().interrupted);
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(RunSessionTest, CtrlCAtTheLastRowLeavesTheRunOpen) {
  stop_at("c");
  const RunOutcome outcome = good_run();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(outcome.rows, 3);
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
}

// --- resuming ---

TEST_F(RunSessionTest, ResumesWithWhatIsMissing) {
  stop_at("b");
  const std::string id = good_run().run.id;
  never_stop();
  const RunOutcome outcome = resumed();
  EXPECT_EQ(outcome.run.id, id);
  EXPECT_EQ(outcome.rows, 3) << "those that were there among them";
  EXPECT_EQ(benches_.measured, names({"c"}));
  EXPECT_THAT(benches_.script.prepared, ElementsAre(2U)) << "no package for what is there";
  EXPECT_EQ(stored().size(), 3U);
  EXPECT_NE(stored_run(id).finished_at, "");
  EXPECT_THAT(kept_.told.lines, HasSubstr("resuming run " + short_id(id) + ": 2 of 3 rows"));
}

TEST_F(RunSessionTest, CountsTheFailuresOfBothParts) {
  benches_.script.states = {{"a", State::kCrash}, {"c", State::kCrash}};
  stop_at("b");
  good_run();
  never_stop();
  const RunOutcome outcome = resumed();
  EXPECT_EQ(outcome.failed, 2);
  EXPECT_EQ(outcome.failures_here, 1);
}

TEST_F(RunSessionTest, AWholeRunHasNothingToResume) {
  good_run();
  EXPECT_TRUE(resumed().is_complete());
  EXPECT_THAT(benches_.measured, IsEmpty());
  EXPECT_EQ(stored().size(), 3U);
}

TEST_F(RunSessionTest, AResumedRunIsAskedForWhatItWas) {
  request_.quick = true;
  request_.agent = "b";
  request_.precision = "fp32";
  stop_at("b");
  const std::string id = good_run().run.id;
  const std::string before = stored_run(id).configuration;
  never_stop();
  resumed();
  EXPECT_EQ(stored_run(id).configuration, before);
  EXPECT_THAT(told(), IsEmpty());
}

// Its tasks are those that somebody had submitted to, and not all of the suite.
TEST_F(RunSessionTest, AResumedRunHasNoFurtherTask) {
  stop_at("b");
  good_run();
  never_stop();
  EXPECT_EQ(resumed().rows, 3);
}

TEST_F(RunSessionTest, AResumedShardStaysOne) {
  submit("a/level1/023_softmax.cpp");
  request_.shard = ShardChoice{1, 2};
  request_.group = "nightly-12";
  stop_at("a");
  good_run();
  never_stop();
  resumed();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu b ok", "level1/019_relu c ok"));
}

TEST_F(RunSessionTest, ResumingWithAnotherChoiceIsRefused) {
  stop_at("b");
  const std::string id = good_run().run.id;
  terms_.resume = "latest";
  request_ = RunRequest();
  request_.agent = "a";
  const Error error = refused_run();
  EXPECT_EQ(error.code, ErrorCode::kUsage);
  EXPECT_EQ(error.message,
            "run " + short_id(id) + " was started with another agent: null then, \"a\" now");
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(RunSessionTest, ResumingWithAChoiceTypedAtItsDefaultIsRefused) {
  request_.precision = "fp32";
  stop_at("b");
  good_run();
  terms_.resume = "latest";
  request_ = RunRequest();
  request_.given = {"precision"};
  EXPECT_THAT(refused_run().message, HasSubstr("precision: \"fp32\" then, \"torch-default\" now"));
}

TEST_F(RunSessionTest, ResumingAfterASourceChangedIsRefused) {
  stop_at("b");
  good_run();
  folder_.write("subs/a/level1/019_relu.cpp", "int another;\n");
  terms_.resume = "latest";
  const Error refused = refused_run();
  EXPECT_EQ(refused.code, ErrorCode::kUsage);
  EXPECT_THAT(refused.message,
              HasSubstr("has a row of a/level1/019_relu.cpp already, and its source changed"));
  EXPECT_EQ(stored().size(), 2U);
}

// Else the run would have two rows of the task.
TEST_F(RunSessionTest, ResumingAfterATaskChangedIsRefusedWhereNobodySubmittedToo) {
  fs::copy(kTinySuites, folder_ / "suite", fs::copy_options::recursive);
  request_.suite = folder_ / "suite";
  request_.submissions.reset();
  request_.baselines_only = true;
  request_.tasks = {"019_relu", "023_softmax"};
  stop_at("");
  good_run();
  ASSERT_THAT(told(), ElementsAre("level1/019_relu - no_submission"));
  std::ifstream written(folder_ / "suite/level1/019_relu.json");
  const Json task = Json::parse(written);
  folder_.write("suite/level1/019_relu.json", task.dump(3));
  never_stop();
  request_ = RunRequest();
  terms_.resume = "latest";
  EXPECT_THAT(refused_run().message,
              HasSubstr("has a row of level1/019_relu already, and the task"));
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(RunSessionTest, ResumingWithAnotherCompilerIsRefused) {
  stop_at("b");
  good_run();
  benches_.script.compiler = "g++ 13";
  terms_.resume = "latest";
  EXPECT_THAT(refused_run().message, HasSubstr("the task, a compiler, the device or kbench"));
}

TEST_F(RunSessionTest, ResumingARunWhoseRowsWereChangedIsRefused) {
  stop_at("b");
  good_run();
  SQLite::Database(terms_.database.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE evaluation SET message = 'better'");
  terms_.resume = "latest";
  EXPECT_THAT(refused_run().message, HasSubstr("cannot be continued"));
  EXPECT_THAT(benches_.measured, IsEmpty());
}

// Without its chain, nobody could tell what was changed before.
TEST_F(RunSessionTest, ResumingARunWhoseChainWasTakenAwayIsRefused) {
  stop_at("b");
  good_run();
  SQLite::Database(terms_.database.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE run SET chain_key = ''; UPDATE evaluation SET chain = ''");
  terms_.resume = "latest";
  EXPECT_THAT(refused_run().message, HasSubstr("cannot be continued: its rows are not chained"));
  EXPECT_THAT(benches_.measured, IsEmpty());
}

TEST_F(RunSessionTest, ARunThatIsNotThereCannotBeResumed) {
  good_run();
  terms_.resume = "zz";
  const Error error = refused_run();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.hint, HasSubstr("; without --resume a new one is started"));
}

TEST_F(RunSessionTest, ASecondTryIsResumedAsOne) {
  benches_.script.states = {{"a", State::kCrash}, {"c", State::kCrash}};
  good_run();
  request_.rerun = {kFailedRows};
  stop_at("a");
  good_run();
  never_stop();
  resumed();
  EXPECT_THAT(told(), ElementsAre("level1/019_relu c crash"));
}

// --- after so many failures ---

TEST_F(RunSessionTest, StopsAfterSoManyFailures) {
  benches_.script.states = {{"a", State::kCrash}, {"b", State::kWrongResult}};
  terms_.max_failures = 2;
  const RunOutcome outcome = good_run();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.failures_here, 2);
  EXPECT_EQ(outcome.left_pending, 1U);
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
  EXPECT_EQ(resumed().rows, 3);
}

TEST_F(RunSessionTest, FailuresOfAnEarlierPartWereCountedThere) {
  for (const char* agent : {"a", "b", "c"}) benches_.script.states[agent] = State::kCrash;
  terms_.max_failures = 1;
  EXPECT_EQ(good_run().left_pending, 2U);
  const RunOutcome outcome = resumed();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.failures_here, 1);
  EXPECT_EQ(outcome.left_pending, 1U);
}

TEST_F(RunSessionTest, TheLastFailureOfAllStopsNothing) {
  benches_.script.states = {{"c", State::kCrash}};
  terms_.max_failures = 1;
  const RunOutcome outcome = good_run();
  EXPECT_FALSE(outcome.stopped);
  EXPECT_NE(stored_run(outcome.run.id).finished_at, "");
}

TEST_F(RunSessionTest, OurFaultIsNoFailureOfASubmission) {
  benches_.script.states = {{"a", State::kInfrastructureError}};
  terms_.max_failures = 1;
  EXPECT_FALSE(good_run().stopped);
}

// --- a device that is lost ---

TEST_F(RunSessionTest, AVerdictStandsWhereTheDeviceIsLostAfterIt) {
  benches_.script.states = {{"b", State::kTimeout}};
  benches_.script.loses_device = {"b"};
  const RunOutcome outcome = good_run();
  ASSERT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.lost->message, "the device is lost");
  EXPECT_EQ(outcome.left_pending, 1U);
  EXPECT_EQ(stored().size(), 2U);
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "");
}

TEST_F(RunSessionTest, WhatTheDeviceAloneFailedIsTriedAgain) {
  benches_.script.states = {{"b", State::kInfrastructureError}};
  benches_.script.loses_device = {"b"};
  EXPECT_EQ(good_run().left_pending, 2U);
  EXPECT_EQ(stored().size(), 1U);
  benches_.script = BenchScript();
  EXPECT_EQ(resumed().rows, 3);
  EXPECT_EQ(benches_.measured, names({"b", "c"}));
}

TEST_F(RunSessionTest, AProcessThatDoesNotDieEndsTheRun) {
  benches_.script.left_over = Error{ErrorCode::kInfrastructure, "it does not die", ""};
  const RunOutcome outcome = good_run();
  ASSERT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.left_pending, 3U);
  EXPECT_THAT(benches_.measured, IsEmpty());
  EXPECT_EQ(stored_run(outcome.run.id).finished_at, "") << "it can be resumed";
}

TEST_F(RunSessionTest, AProcessThatOutlivesTheLastRowIsToldAsWell) {
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    if (unit.id.agent == "c")
      benches_.script.left_over = Error{ErrorCode::kInfrastructure, "it does not die", ""};
  };
  const RunOutcome outcome = good_run();
  ASSERT_TRUE(outcome.lost);
  EXPECT_EQ(outcome.left_pending, 0U);
  EXPECT_EQ(outcome.rows, 3);
}

// --- the queue at the device ---

TEST_F(RunSessionTest, WhoDoesNotWaitIsToldWhoHasTheDevice) {
  ScriptedBenches other;
  other.place = benches_.place;
  Error refused;
  benches_.script.while_measuring = [&](const PlannedRow&) {
    KeptRun sink;
    RunTerms terms{.database = folder_ / "other.sqlite", .no_wait = true};
    const auto second = RunSession(other, request_, terms, sink).run();
    if (!second) refused = second.error();
  };
  request_.agent = "a";
  const std::string id = good_run().run.id;
  EXPECT_EQ(refused.code, ErrorCode::kInfrastructure);
  EXPECT_THAT(refused.message, HasSubstr("(run " + short_id(id)));
  EXPECT_THAT(other.measured, IsEmpty());
}

// Tells a function of the first lasting line.
class FirstNote final : public KeptProgress {
 public:
  explicit FirstNote(std::function<void()> act) : act_(std::move(act)) {}
  void note(std::string_view text) override {
    if (text.find("held by process") != text.npos) act_();
  }

 private:
  std::function<void()> act_;
};

class WaitingRun final : public RunSink {
 public:
  explicit WaitingRun(std::function<void()> when_waiting) : told_(std::move(when_waiting)) {}
  ProgressSink& progress() override { return told_; }
  void row(const Evaluation&, std::span<const Blob>) override {}

 private:
  FirstNote told_;
};

TEST_F(RunSessionTest, WhoWaitsMeasuresOnceTheDeviceIsFree) {
  Target target;
  target.device = "cpu";
  std::optional<MeasuringLock> held = std::move(
      take_measuring_lock({.installation = &benches_.place, .target = &target, .what = "run one"})
          .value());
  std::promise<void> waiting;
  std::thread holder([&, told = waiting.get_future()] {
    told.wait();
    EXPECT_THAT(benches_.measured, IsEmpty());
    held.reset();
  });
  bool is_told = false;
  WaitingRun sink([&] {
    if (!std::exchange(is_told, true)) waiting.set_value();
  });
  const auto outcome = RunSession(benches_, request_, terms_, sink).run();
  if (!std::exchange(is_told, true)) waiting.set_value();
  holder.join();
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->rows, 3);
}

// A check of the same device, started while the first unit of a run is measured and over before the
// second one is.
TEST_F(RunSessionTest, ACheckTakesATurnBetweenTwoUnits) {
  ScriptedBenches other;
  other.place = benches_.place;
  RunRequest checks = request_;
  checks.checks_only = true;
  checks.agent = "c";
  const RunTerms elsewhere{.database = folder_ / "checks.sqlite"};
  std::future<bool> check;
  Target target;
  target.device = "cpu";
  const auto waiters = [&] {
    return DeviceLock::waiters(benches_.place.state / "locks", device_lock_name(target) + "-turn");
  };
  bool was_over = false;
  benches_.script.while_measuring = [&](const PlannedRow& unit) {
    if (unit.id.agent == "a") {
      check = std::async(std::launch::async, [&] {
        KeptRun sink;
        const auto outcome = RunSession(other, checks, elsewhere, sink).run();
        const std::string& told = sink.told.lines;
        const auto first = told.find("waiting for a turn between");
        return outcome.ok() && first != told.npos &&
               first == told.rfind("waiting for a turn between");
      });
      EXPECT_TRUE(await([&] { return waiters() == 1; }, "the check waits for its turn"));
      EXPECT_THAT(other.measured, IsEmpty());
    }
    if (unit.id.agent == "b") was_over = other.measured.size() == 1;
  };
  EXPECT_EQ(good_run().rows, 3);
  EXPECT_TRUE(check.get()) << "told once, and not of a turn that it gave away itself";
  EXPECT_TRUE(was_over);
}

// On two devices, that is.
TEST_F(RunSessionTest, TwoRunnersShareADatabase) {
  ScriptedBenches other;
  other.place = benches_.place;
  other.place.locks = folder_ / "locks-of-the-other";
  other.place.state = folder_ / "state-of-the-other";
  std::string second;
  benches_.script.while_measuring = [&](const PlannedRow& unit) {
    if (unit.id.agent != "b") return;
    KeptRun sink;
    const auto outcome = RunSession(other, request_, {.database = terms_.database}, sink).run();
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    second = outcome->run.id;
  };
  const std::string first = good_run().run.id;
  for (const std::string& id : {first, second}) {
    EXPECT_EQ(stored(id).size(), 3U);
    EXPECT_NE(stored_run(id).finished_at, "");
  }
}

// --- a database that cannot be written any more ---

TEST_F(RunSessionTest, AFullDiskEndsTheRunAndKeepsWhatIsThere) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = ::signal(SIGXFSZ, SIG_IGN);
  benches_.script.while_measuring = [&](const PlannedRow& unit) {
    rlimit none = before;
    none.rlim_cur = 0;
    if (unit.id.agent == "b") ::setrlimit(RLIMIT_FSIZE, &none);
  };
  const auto outcome = run();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(benches_.measured, names({"a", "b"})) << "nothing that cannot be kept";
  EXPECT_EQ(kept_.rows.size(), 1U) << "nobody is told of a row that is not stored";
  EXPECT_EQ(stored().size(), 1U);
  never_stop();
  EXPECT_EQ(resumed().rows, 3);
  EXPECT_EQ(benches_.measured, names({"b", "c"}));
}

}  // namespace
}  // namespace kbench::test
