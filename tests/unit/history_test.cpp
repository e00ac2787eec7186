#include "reports/over_time/history.hpp"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats/run_list.hpp"
#include "reports/over_time/history_report.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/store.hpp"
#include "tests/fakes/stored_runs.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::failed_evaluation;
using test::RunSpec;
using test::stored_run;
using test::timed_evaluation;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRelu = "level1/019_relu";

std::string id_of(int run) { return fmt::format("{:04x}", run); }

RunSpec spec_of(int run) {
  return {.id = id_of(run), .started_at = fmt::format("2026-11-{:02}T03:00:00Z", run + 1)};
}

void add(HistoryData& data, const RunSpec& spec, std::vector<Evaluation> evaluations) {
  data.task = kRelu;
  data.runs.insert(data.runs.begin(), stored_run(spec));
  for (Evaluation& evaluation : evaluations) data.evaluations.push_back(std::move(evaluation));
}

// Ten runs; from the sixth on (number 5) alice takes 1.2 ms instead of 1.
HistoryData ten_runs() {
  HistoryData data;
  for (int run = 0; run < 10; ++run)
    add(data, spec_of(run),
        {timed_evaluation(id_of(run), kRelu, "alice", run < 5 ? 1'000'000 : 1'200'000),
         timed_evaluation(id_of(run), kRelu, "bob", 1'500'000)});
  return data;
}

History history_of(const HistoryData& data, const HistoryChoice& choice = {}) {
  auto history = make_history(data, choice);
  if (!history) {
    ADD_FAILURE() << history.error().message;
    return {};
  }
  return std::move(*history);
}

TEST(HistoryOfATask, AChangeIsDatedToTheRunThatBroughtIt) {
  const History history = history_of(ten_runs());
  ASSERT_EQ(history.agents.size(), 2u);
  const AgentHistory& alice = history.agents[0];
  ASSERT_EQ(alice.points.size(), 10u);
  EXPECT_EQ(alice.points.front().run.id, id_of(0)) << "oldest first";
  EXPECT_EQ(alice.changes(), 1);
  ASSERT_TRUE(alice.points[5].change);
  EXPECT_NEAR(alice.points[5].change->before, 2, 1e-9);
  EXPECT_NEAR(alice.points[5].change->after, 2 / 1.2, 1e-9);
  EXPECT_EQ(history.agents[1].changes(), 0) << "bob did not change";
}

TEST(HistoryOfATask, RunsThatFailedOrSayNothingAreShownAndDateNothing) {
  HistoryData data = ten_runs();
  // Between the levels: first one that fails, then one that nobody can judge.
  for (Evaluation& evaluation : data.evaluations) {
    if (evaluation.submission->agent != "alice") continue;
    if (evaluation.run_id == id_of(4)) evaluation = failed_evaluation(id_of(4), kRelu, "alice");
    if (evaluation.run_id == id_of(5)) evaluation.calibration.reset();
  }
  const History history = history_of(data);
  const AgentHistory& alice = history.agents[0];
  EXPECT_EQ(alice.points.size(), 10u);
  EXPECT_EQ(history.without_verdict, 1);
  EXPECT_TRUE(alice.points[6].change) << "the first that is known to be of the new level";
  EXPECT_EQ(alice.changes(), 1);
}

TEST(HistoryOfATask, TheBestVariantOfEachRunCounts) {
  HistoryData data;
  add(data, spec_of(0),
      {timed_evaluation(id_of(0), kRelu, "alice", 1'000'000),
       timed_evaluation(id_of(0), kRelu, "alice", 500'000, "v2")});
  add(data, spec_of(1),
      {timed_evaluation(id_of(1), kRelu, "alice", 400'000),
       timed_evaluation(id_of(1), kRelu, "alice", 500'000, "v2")});
  const History history = history_of(data);
  EXPECT_EQ(history.agents[0].points[0].row.variant, "v2");
  EXPECT_EQ(history.agents[0].points[1].row.variant, "");
}

TEST(HistoryOfATask, WhatMeasuredInAnotherWayIsLeftOutAndCounted) {
  HistoryData data = ten_runs();
  const auto add_one = [&](RunSpec spec, auto change) {
    Evaluation evaluation = timed_evaluation(spec.id, kRelu, "alice", 1'200'000);
    change(evaluation);
    spec.started_at = "2026-11-30T00:00:00Z";
    add(data, spec, {evaluation});
  };
  const auto nothing = [](Evaluation&) {};
  add_one({.id = "full"}, [](auto& e) { e.run_id = "other"; });  // no known run
  add_one({.id = "quick", .quick = true}, nothing);
  add_one({.id = "many", .threads = 64, .quick = true}, nothing);
  History history = history_of(data, {.device = "example"});
  EXPECT_EQ(history.device.threads, 64) << "the newest run's device";
  history = history_of(ten_runs());
  EXPECT_EQ(history.left_out, 0);
  data.runs.erase(data.runs.begin());  // without the run of the other device
  history = history_of(data);
  EXPECT_EQ(history.agents[0].points.size(), 10u) << "a quick run is not the measure";
  EXPECT_EQ(history.left_out, 1);
}

TEST(HistoryOfATask, RunsOfAnotherTorchPolicyAreLeftOut) {
  HistoryData data = ten_runs();
  for (Evaluation& evaluation : data.evaluations) {
    if (evaluation.run_id == id_of(9)) evaluation.allow_torch = "all";
    if (evaluation.run_id == id_of(3)) evaluation.allow_torch = "data";
  }
  const History history = history_of(data);
  EXPECT_EQ(history.left_out, 1) << "those of native submissions have no policy";
  EXPECT_EQ(history.agents[0].points.size(), 9u);
}

TEST(HistoryOfATask, OneAgentMayBeAskedFor) {
  const History history = history_of(ten_runs(), {.agent = "bob"});
  ASSERT_EQ(history.agents.size(), 1u);
  EXPECT_EQ(history.agents[0].agent, "bob");
  const auto misspelt = make_history(ten_runs(), {.agent = "alcie"});
  ASSERT_FALSE(misspelt.ok());
  EXPECT_EQ(misspelt.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(misspelt.error().hint, "did you mean \"alice\"?");
  EXPECT_FALSE(make_history(ten_runs(), {.device = "h200"}).ok());
}

TEST(HistoryOfATask, AnotherTaskFileIsSaid) {
  HistoryData data = ten_runs();
  for (Evaluation& evaluation : data.evaluations)
    if (evaluation.run_id >= id_of(7)) evaluation.task_hash = "2222";
  const History history = history_of(data);
  for (std::size_t run = 0; run < 10; ++run)
    EXPECT_EQ(history.agents[0].points[run].task_changed, run == 7) << run;
}

TEST(HistoryReport, NamesTheRunAndTheLevels) {
  const std::string text = render_history(history_of(ten_runs()), {});
  EXPECT_THAT(text, HasSubstr("level1/019_relu · Example CPU, 2 threads · small"));
  EXPECT_THAT(text, HasSubstr("since 0005 (2026-11-06 03:00): 2.00× → 1.67×, takes 20.0 % longer"));
  EXPECT_THAT(text, HasSubstr("▼ 0.833×"));
  EXPECT_THAT(text, HasSubstr("2 agents, 1 change\n"));
  const Json json = history_json(history_of(ten_runs()));
  EXPECT_EQ(json["agents"][0]["changes"][0]["run_id"], "0005");
  EXPECT_EQ(json["agents"][0]["points"].size(), 10u);
  EXPECT_TRUE(json["agents"][1]["changes"].empty());
}

TEST(HistoryReport, SaysWhichRunsAreLeftOut) {
  History history;
  history.runs = 1;
  EXPECT_EQ(history_words(history), "1 run");
  history.runs = 2;
  history.other_device = 1;
  history.not_submitted = 2;
  EXPECT_EQ(history_words(history),
            "2 of 5 runs; left out: 1 of another device, 2 without a submission for it");
  history.left_out = 3;
  EXPECT_THAT(history_words(history), HasSubstr("2 of 8 runs; left out: 3 measured otherwise, "));
}

TEST(HistoryReport, ForeignTextSteersNobody) {
  HistoryData data;
  const std::string agent = "al\x1b[31mice\n\xe2\x80\xae";
  add(data, {.id = "\x1b]0;x\x07", .started_at = "\x1b[2J"},
      {timed_evaluation("\x1b]0;x\x07", kRelu, agent, 1'000'000, "\x07v")});
  data.tags = {{"good", "\x1b]0;x\x07", ""}};
  const std::string text = render_history(history_of(data), {});
  for (const char* steering : {"\x1b", "\x07", "\xe2\x80\xae"})
    EXPECT_THAT(text, Not(HasSubstr(steering)));
}

// --- through a database ---

class StoredHistory : public ::testing::Test {
 protected:
  StoredHistory()
      : store_(std::move(Store::open(folder_ / "k.sqlite", Store::Mode::kReadWrite).value())) {}

  void store(const RunSpec& spec, const std::vector<Evaluation>& evaluations) {
    ASSERT_TRUE(store_.begin_run(stored_run(spec)).ok());
    for (const Evaluation& evaluation : evaluations) ASSERT_TRUE(store_.add(evaluation).ok());
  }

  test::TemporaryFolder folder_;
  Store store_;
};

TEST_F(StoredHistory, IsReadForOneTask) {
  store(spec_of(0), {timed_evaluation(id_of(0), kRelu, "alice", 1'000'000),
                     timed_evaluation(id_of(0), "level1/020_gelu", "alice", 1'000'000)});
  store(spec_of(1), {timed_evaluation(id_of(1), kRelu, "alice", 1'000'000)});
  ASSERT_TRUE(store_.put(Tag{"good", id_of(0), ""}).ok());
  const auto data = load_history(store_, kRelu);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->evaluations.size(), 2u);
  const History history = history_of(*data);
  ASSERT_EQ(history.agents.at(0).points.size(), 2u);
  EXPECT_THAT(history.agents[0].points[0].tags, ::testing::ElementsAre("good"));
}

// Was: no word about rows that nobody vouches for, nor about those that were changed.
TEST_F(StoredHistory, RowsThatAreNotAsTheyWereStoredAreCautionedAbout) {
  const auto cautions = [this] { return history_of(*load_history(store_, kRelu)).cautions; };
  const auto keep = [this](int run) {
    store(spec_of(run), {timed_evaluation(id_of(run), "level1/020_gelu", "alice", 1'000'000),
                         timed_evaluation(id_of(run), kRelu, "alice", 1'000'000),
                         timed_evaluation(id_of(run), kRelu, "bob", 1'000'000)});
  };
  store_.use(chain_key_of(std::string(32, 'k')));
  keep(0);
  keep(1);
  EXPECT_THAT(cautions(), ::testing::IsEmpty());
  const auto change = [this](const std::string& program) {
    SQLite::Database file((folder_ / "k.sqlite").string(), SQLite::OPEN_READWRITE);
    EXPECT_EQ(file.exec(program), 1);
  };
  change("UPDATE evaluation SET task = 'level1/021_x' WHERE number = 1");  // another task
  EXPECT_THAT(cautions(), ::testing::IsEmpty());
  change("UPDATE evaluation SET labels = 'fine' WHERE number = 3");
  EXPECT_THAT(cautions(), ::testing::ElementsAre(HasSubstr(
                              id_of(0) + " are not as they were stored: " + kRelu + " of bob")));
  store_.use(chain_key_of(std::string(32, 'o')));
  keep(2);
  EXPECT_THAT(cautions(), ::testing::ElementsAre(HasSubstr("rows of 2 runs cannot be checked")));
}

TEST_F(StoredHistory, RunsAreListedWithTheirStates) {
  store({.id = "aa11",
         .started_at = "2026-11-20T03:00:00Z",
         .commit = "0123456789abcdef0123456789abcdef01234567"},
        {timed_evaluation("aa11", kRelu, "alice", 1'000'000),
         failed_evaluation("aa11", kRelu, "bob")});
  kbench::Run old = test::make_run("bb22");
  ASSERT_TRUE(store_.begin_run(old).ok());
  ASSERT_TRUE(store_.add(timed_evaluation("bb22", kRelu, "alice", 1'000'000)).ok());
  ASSERT_TRUE(store_.put(Tag{"good", "aa11", ""}).ok());
  const auto runs = list_runs(store_);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->at(0).run.id, "bb22") << "newest first";
  EXPECT_EQ(runs->at(0).facts.kind, "cpu") << "as its rows tell";
  EXPECT_EQ(runs->at(1).rows(), 2);
  const std::string text = render_runs(*runs, {});
  EXPECT_THAT(text, HasSubstr("1 ok · 1 wrong result"));
  EXPECT_THAT(text, HasSubstr("0123456789ab+changes"));
  EXPECT_THAT(text, HasSubstr("good"));
  EXPECT_THAT(text, HasSubstr("unfinished"));
  EXPECT_EQ(render_runs(*runs, {.columns = 20}, {"states", "run"}),
            "States          Run\n"
            "──────────────  ────\n"
            "1 ok            bb22\n"
            "1 ok · 1 wron…  aa11\n");
  EXPECT_THAT(render_runs(*runs, {}, {"shard"}), ::testing::StartsWith("Shard\n"));
  EXPECT_THAT(text, Not(HasSubstr("Shard"))) << "no run is one of several";
  const Json json = runs_json(*runs);
  EXPECT_EQ(json["runs"][1]["states"]["wrong_result"], 1);
  EXPECT_EQ(json["runs"][1]["dirty"], true);
  EXPECT_EQ(json["runs"][1]["tags"][0], "good");
  EXPECT_EQ(json["runs"][0]["device"]["kind"], "cpu");
  EXPECT_TRUE(json["runs"][0]["finished_at"].is_null());
}

// Was: a list of runs named neither a task nor a file, so the runs of v1.cpp and v2.cpp looked
// alike.
TEST_F(StoredHistory, ARunOfOneSubmissionIsListedWithTaskAndFile) {
  Evaluation file = timed_evaluation("aa11", kRelu, "me", 1'000'000);
  file.submission->name = "v1.cpp";
  store({.id = "aa11", .started_at = "2026-11-20T03:00:00Z"}, {file});
  store({.id = "bb22", .started_at = "2026-11-21T03:00:00Z"},
        {timed_evaluation("bb22", kRelu, "alice", 1'000'000)});
  store({.id = "cc33", .started_at = "2026-11-22T03:00:00Z"},
        {timed_evaluation("cc33", kRelu, "alice", 1'000'000),
         timed_evaluation("cc33", "level1/020_leakyrelu", "alice", 1'000'000)});
  store({.id = "dd44", .started_at = "2026-11-23T03:00:00Z"},
        {timed_evaluation("dd44", kRelu, "alice", 1'000'000),
         failed_evaluation("dd44", kRelu, "bob")});
  const auto runs = list_runs(store_);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  const std::string text = render_runs(*runs, {});
  EXPECT_THAT(text, HasSubstr("level1/019_relu  v1.cpp (me) "));
  EXPECT_THAT(text, HasSubstr("level1/019_relu  alice/level1/019_relu.cpp "));
  EXPECT_THAT(text, HasSubstr("several          several of alice "));
  EXPECT_THAT(text, HasSubstr("level1/019_relu  several "));
  const Json list = runs_json(*runs)["runs"];
  EXPECT_EQ(list[3]["task"], kRelu);
  EXPECT_EQ(list[3]["submission"], "v1.cpp");
  EXPECT_EQ(list[3]["agent"], "me");
  EXPECT_TRUE(list[1]["task"].is_null());
  EXPECT_TRUE(list[1]["submission"].is_null());
  EXPECT_EQ(list[1]["agent"], "alice");
  EXPECT_EQ(list[0]["task"], kRelu);
  EXPECT_TRUE(list[0]["agent"].is_null());
}

// A run of baselines has a task and no submission.
TEST_F(StoredHistory, ARunWithoutSubmissionsIsListedWithItsTask) {
  Evaluation baseline = timed_evaluation("aa11", kRelu, "me", 1'000'000);
  baseline.submission.reset();
  store({.id = "aa11", .started_at = "2026-11-20T03:00:00Z"}, {baseline});
  const auto runs = list_runs(store_);
  EXPECT_THAT(render_runs(*runs, {}), HasSubstr("level1/019_relu  –  "));
  EXPECT_TRUE(runs_json(*runs)["runs"][0]["submission"].is_null());
}

// GPUs of one name are one device to whoever compares, and each is named in its rows.
TEST_F(StoredHistory, GpusOfOneNameAreOneDevice) {
  const auto row_of = [](int run, const char* agent, const char* uuid) {
    Evaluation row = timed_evaluation(id_of(run), kRelu, agent, 1'000'000);
    row.device_uuid = uuid;
    return row;
  };
  store_.use(chain_key_of(std::string(32, 'k')));
  store(spec_of(0), {row_of(0, "alice", "GPU-b"), row_of(0, "bob", "GPU-a")});
  store(spec_of(1), {row_of(1, "alice", "GPU-a")});
  const History history = history_of(*load_history(store_, kRelu));
  ASSERT_EQ(history.agents.size(), 2U);
  EXPECT_EQ(history.agents[0].points.size(), 2U);
  EXPECT_THAT(history.cautions, ::testing::IsEmpty());
  const auto runs = list_runs(store_);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  const Json json = runs_json(*runs);
  EXPECT_EQ(json["runs"][1]["device"]["uuids"], (Json{"GPU-a", "GPU-b"}));
  EXPECT_EQ(json["runs"][0]["device"]["uuids"], (Json{"GPU-a"}));
  EXPECT_EQ(runs->at(1).rows(), 2);
  const std::string text = render_runs(*runs, {});
  EXPECT_THAT(text, HasSubstr("2 × "));
  EXPECT_THAT(text, Not(HasSubstr("1 × ")));
}

TEST(RunFacts, ADeviceIsMeantByItsKindOrAPartOfItsName) {
  const RunFacts facts = facts_of(stored_run({.id = "aa"}));
  EXPECT_TRUE(device_matches(facts, "cpu"));
  EXPECT_TRUE(device_matches(facts, "EXAMPLE"));
  EXPECT_FALSE(device_matches(facts, "cuda"));
}

}  // namespace
}  // namespace kbench
