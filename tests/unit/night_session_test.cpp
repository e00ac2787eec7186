// A night from its run to its findings, on a bench that measures nothing: what fails tonight and
// was correct before is tried again, and what is slower is measured in pairs.
#include "runner/again/night_session.hpp"

#include <optional>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include "runner/os/files.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// Keeps on which devices each run was to measure.
class WatchedDevices final : public BenchSource {
 public:
  explicit WatchedDevices(ScriptedBenches& benches) : benches_(benches) {}
  [[nodiscard]] const Installation& installation() const override { return benches_.place; }
  void prepare() override {}
  Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override {
    devices.push_back(order.terms.devices.value_or("the usual one"));
    return benches_.make(order);
  }

  std::vector<std::string> devices;

 private:
  ScriptedBenches& benches_;
};

class NightSessionTest : public RunTest {
 protected:
  NightSessionTest() {
    submit("anna/level1/019_relu.cpp");
    submit("bert/level1/019_relu.cpp");
  }

  // A night up to what is suspected; true where its run is whole.
  bool look() {
    kept_ = KeptRun();
    night_.reset();
    asked_.run = request_;
    asked_.terms = terms_;
    night_.emplace(asked_, watched_);
    const auto outcome = night_->run(kept_);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    const Status loaded = night_->load([](ReportData&, const Store&) { return Status(Done{}); });
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    if (night_->tonight().run.finished_at.empty()) return false;
    night_->look();
    return true;
  }
  Status clear(const std::function<bool()>& stop = [] { return false; }) {
    return night_->clear(again_, stop, [this](const std::string& text) { notes_ += text + "\n"; });
  }
  [[nodiscard]] const Suspect& suspect() const { return night_->night().suspects.at(0); }

  WatchedDevices watched_{benches_};
  NightRequest asked_;
  std::optional<NightSession> night_;
  KeptRun again_;
  std::string notes_;
};

TEST_F(NightSessionTest, AFirstNightHasNothingToCompareWith) {
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().suspects, IsEmpty());
  EXPECT_EQ(night_->tonight().run.id, night_->terms().id);
  EXPECT_THAT(kept_.rows, SizeIs(2));
  ASSERT_TRUE(clear().ok());
  EXPECT_THAT(again_.rows, IsEmpty()) << "nothing is measured again";
}

TEST_F(NightSessionTest, WhatFailsTwiceInARowIsConfirmed) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  benches_.script.states["000-2-after"] = State::kWrongResult;  // tried again, it is called so
  benches_.script.states["000-1-after"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  EXPECT_EQ(suspect().why, Suspect::Why::kFails);
  EXPECT_EQ(suspect().tonight.agent, "anna");
  const Status cleared = clear();
  ASSERT_TRUE(cleared.ok()) << cleared.error().message;
  EXPECT_EQ(suspect().clearance, Clearance::kConfirmed);
  EXPECT_THAT(notes_, HasSubstr("measuring 1 of 1 suspected again, round 1 of at most 9"));
  EXPECT_THAT(again_.rows, SizeIs(1)) << "one try decides";
  EXPECT_TRUE(std::filesystem::exists(remeasured_database(terms_.database)));
  EXPECT_THAT(stored(), SizeIs(2)) << "nobody takes what was tried again for a row of the folder";
}

// Was: later reports of the run had "night": null, and the published page showed no finding.
TEST_F(NightSessionTest, ALaterReportOfTheRunHasTheFindings) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  benches_.script.states["000-2-after"] = State::kWrongResult;
  benches_.script.states["000-1-after"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_TRUE(clear().ok());
  const Status kept = night_->store_findings();
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  const auto later = load_report(*store, night_->tonight().run.id);
  ASSERT_TRUE(later.ok()) << later.error().message;
  ASSERT_TRUE(later->night);
  ASSERT_THAT(*later->night, SizeIs(1));
  EXPECT_EQ(later->night->front().agent, "anna");
  EXPECT_TRUE(later->night->front().regression);
  EXPECT_EQ(to_json(*later->night), to_json(*night_->tonight().night));
  EXPECT_THAT(later->malformed, IsEmpty());
}

TEST_F(NightSessionTest, FindingsThatMakeNoSenseAreNamedAndLeftOut) {
  ASSERT_TRUE(look());
  const std::string long_message =
      R"([{"task": "", "agent": "", "variant": "", "verdict": "cleared", "message": ")" +
      std::string(5000, 'x') + R"("}])";
  for (const char* text : {"[", "{}", R"([{"task": "level1/019_relu"}])",
                           R"([{"task": "", "agent": "", "variant": "", "verdict": "sold",
                                "message": ""}])",
                           long_message.c_str()}) {
    auto store = Store::open(terms_.database, Store::Mode::kReadWrite);
    ASSERT_TRUE(store->put_night(night_->tonight().run.id, text).ok());
    const auto later = load_report(*store, night_->tonight().run.id);
    ASSERT_TRUE(later.ok()) << later.error().message;
    EXPECT_FALSE(later->night) << text;
    EXPECT_THAT(later->malformed, ElementsAre(HasSubstr("malformed"))) << text;
  }
}

// Two devices of one name may differ by more than a night looks for.
TEST_F(NightSessionTest, WhatIsMeasuredAgainHasOneDevice) {
  terms_.devices = "cpu";
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_TRUE(clear().ok());
  EXPECT_THAT(watched_.devices, ElementsAre("cpu", "cpu", "the usual one"));
}

TEST_F(NightSessionTest, WhatPassesWhenTriedAgainIsCleared) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_TRUE(clear().ok());
  EXPECT_EQ(suspect().clearance, Clearance::kCleared);
  EXPECT_EQ(night_->night().count(Clearance::kConfirmed), 0);
}

TEST_F(NightSessionTest, WhatCannotBeTriedAgainIsUnclear) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  benches_.script.states["000-2-after"] = State::kInfrastructureError;
  benches_.script.states["000-1-after"] = State::kInfrastructureError;
  const Status measured = clear();
  ASSERT_FALSE(measured.ok()) << "a run that failed by our fault";
  EXPECT_EQ(measured.error().code, ErrorCode::kInfrastructure);
  EXPECT_NE(suspect().clearance, Clearance::kConfirmed);
}

// The run of a kernel for which the device had too little memory is whole, and judged nobody.
TEST_F(NightSessionTest, WhatDoesNotFitWhenTriedAgainIsUnclear) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  benches_.script.states["000-2-after"] = State::kDoesNotFit;
  benches_.script.states["000-1-after"] = State::kDoesNotFit;
  ASSERT_TRUE(look());
  const Status measured = clear();
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  ASSERT_THAT(again_.rows, SizeIs(1));
  EXPECT_EQ(suspect().clearance, Clearance::kUnclear);
}

TEST_F(NightSessionTest, WhereNothingCanBeMeasuredAgainItIsOurFault) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  benches_.script.oracle_fails = Error{ErrorCode::kUsage, "no oracle", "build one"};
  const Status measured = clear();
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(measured.error().message, "measuring again: no oracle");
  EXPECT_EQ(measured.error().hint, "build one");
  EXPECT_EQ(suspect().clearance, Clearance::kOpen);
}

TEST_F(NightSessionTest, AStopLeavesSuspectsOpen) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_TRUE(clear([] { return true; }).ok());
  EXPECT_TRUE(night_->interrupted());
  EXPECT_EQ(suspect().clearance, Clearance::kOpen);
  EXPECT_THAT(again_.rows, IsEmpty());
}

TEST_F(NightSessionTest, ANightWhoseDeviceIsLostIsNotCompared) {
  ASSERT_TRUE(look());
  benches_.script.loses_device = {"anna"};
  EXPECT_FALSE(look());
}

TEST_F(NightSessionTest, ANightOfOursIsNoReference) {
  benches_.script.states["bert"] = State::kInfrastructureError;
  ASSERT_TRUE(look());
  benches_.script.states = {{"anna", State::kWrongResult}};
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().suspects, IsEmpty());
  EXPECT_THAT(night_->night().not_good, SizeIs(1));
}

// Five nights of checks would push out the timed ones, and accuse whoever fails tonight.
TEST_F(NightSessionTest, ARunThatTimedNothingIsNoReference) {
  request_.checks_only = true;
  good_run();
  request_.checks_only = false;
  benches_.script.states["anna"] = State::kWrongResult;
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().good_runs, IsEmpty());
  EXPECT_THAT(night_->night().suspects, IsEmpty());
}

// On a CPU runs differ by more than on a GPU.
TEST_F(NightSessionTest, WhatCountsAsSlowerIsTheDevicesUnlessItIsSaid) {
  benches_.script.times_ns = {{"anna", 1e6}};
  ASSERT_TRUE(look());
  benches_.script.times_ns = {{"anna", 1.04e6}};
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().suspects, IsEmpty()) << "below 6 % is nothing to look at";
  asked_.choices.flag_percent = 1;
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().suspects, SizeIs(1));
}

TEST_F(NightSessionTest, SourcesOfGoodRunsAreLookedForWhereItIsSaid) {
  benches_.script.times_ns = {{"anna", 1e6}};
  folder_.write("then/anna/level1/019_relu.cpp",
                *read_file(folder_ / "subs/anna/level1/019_relu.cpp"));
  ASSERT_TRUE(look());
  folder_.write("subs/anna/level1/019_relu.cpp", "int slower;\n");
  benches_.script.times_ns = {{"anna", 1.27e6}};
  asked_.choices.submissions_before = folder_ / "subs";
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  EXPECT_THAT(suspect().remark, HasSubstr("looked in " + (folder_ / "subs").string()))
      << "and nowhere else";
  asked_.choices.submissions_before = folder_ / "then";
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  EXPECT_EQ(suspect().remark, "");
}

// Eager takes the same time in all of these.
TEST_F(NightSessionTest, OverTheCompiledBaselineAMachineThatIsSlowerAccusesNobody) {
  asked_.choices.baseline = Side::kCompiled;
  benches_.script.times_ns = {{"anna", 1e6}};
  benches_.script.compiled_ns = {{"anna", 2e6}};
  ASSERT_TRUE(look());
  folder_.write("subs/anna/level1/019_relu.cpp", "int slower;\n");
  benches_.script.times_ns = {{"anna", 1.27e6}};
  for (const std::string place : {"000-1-", "000-2-"}) {
    benches_.script.times_ns[place + "before"] = 1e6;
    benches_.script.compiled_ns[place + "before"] = 2e6;
    benches_.script.times_ns[place + "after"] = 1.27e6;
    benches_.script.compiled_ns[place + "after"] = 2.54e6;
  }
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  const Status cleared = clear();
  ASSERT_TRUE(cleared.ok()) << cleared.error().message;
  EXPECT_EQ(suspect().clearance, Clearance::kCleared);
}

// Over eager the same kernel is four times as fast, and over the compiled baseline twice.
TEST_F(NightSessionTest, GoodRunsAreHeldAgainstTonightOverOneBaseline) {
  asked_.choices.baseline = Side::kCompiled;
  benches_.script.times_ns = {{"anna", 1e6}};
  benches_.script.compiled_ns = {{"anna", 2e6}};
  ASSERT_TRUE(look());
  ASSERT_TRUE(look());
  EXPECT_EQ(night_->night().compared, 1);
  EXPECT_THAT(night_->night().suspects, IsEmpty());
}

// A writer to the file could make tonight look good by a slower night before it.
TEST_F(NightSessionTest, ARunWhoseRowsWereChangedIsNoReference) {
  benches_.script.times_ns = {{"anna", 1e6}};
  ASSERT_TRUE(look());
  EXPECT_EQ(night_->tonight().chain.state, ChainFinding::State::kHolds);
  SQLite::Database(terms_.database.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE evaluation SET message = 'better'");
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().good_runs, IsEmpty());
  EXPECT_THAT(night_->night().not_good, ElementsAre(Pair("rows changed since", 1)));
}

// The more rows are suspected, the more often chance alone would confirm one of them.
TEST_F(NightSessionTest, TwoSuspectsTakeMorePairsThanOneWould) {
  benches_.script.times_ns = {{"anna", 1e6}, {"bert", 1e6}};
  ASSERT_TRUE(look());
  for (const char* agent : {"anna", "bert"})
    folder_.write(std::string("subs/") + agent + "/level1/019_relu.cpp", "int slower;\n");
  benches_.script.times_ns = {{"anna", 1.27e6}, {"bert", 1.27e6}};
  for (const std::string pair : {"000", "001"})
    for (const std::string place : {"-1-", "-2-"}) {
      benches_.script.times_ns[pair + place + "before"] = 1e6;
      benches_.script.times_ns[pair + place + "after"] = 1.27e6;
    }
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(2));
  const Status cleared = clear();
  ASSERT_TRUE(cleared.ok()) << cleared.error().message;
  EXPECT_EQ(suspect().clearance, Clearance::kConfirmed);
  const NightlyRule rule{.flag = default_flag("cpu")};
  Evidence three = suspect().evidence;
  ASSERT_GT(three.slowdowns.size(), rule.least_pairs);
  three.slowdowns.resize(rule.least_pairs);
  EXPECT_EQ(judge(three, rule, 1), Clearance::kConfirmed) << "alone it takes no more than that";
  EXPECT_EQ(judge(three, rule, 2), Clearance::kOpen);
}

// The first try decides about anna, and later rounds are of bert alone, who takes her place in
// them.
TEST_F(NightSessionTest, WhatIsStillOpenCountsForItsOwnSuspicion) {
  benches_.script.times_ns = {{"bert", 1e6}};
  ASSERT_TRUE(look());
  folder_.write("subs/bert/level1/019_relu.cpp", "int slower;\n");
  benches_.script.states["anna"] = State::kWrongResult;
  benches_.script.times_ns = {{"bert", 1.27e6}};
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(2));
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    benches_.script.states[unit.id.agent] = again_.rows.empty() ? State::kWrongResult : State::kOk;
    benches_.script.times_ns[unit.id.agent] = unit.id.agent.ends_with("after") ? 1.27e6 : 1e6;
  };
  const Status cleared = clear();
  ASSERT_TRUE(cleared.ok()) << cleared.error().message;
  const std::vector<Suspect>& suspects = night_->night().suspects;
  EXPECT_EQ(suspects[0].tonight.agent, "anna");
  EXPECT_EQ(suspects[0].clearance, Clearance::kConfirmed) << "what bert's kernel did is not hers";
  EXPECT_EQ(suspects[1].clearance, Clearance::kConfirmed);
  EXPECT_EQ(again_.rows.size(), 1 + 2 * suspects[1].evidence.slowdowns.size());
}

// The machine or its compiler has changed: there is no older source to measure beside it.
TEST_F(NightSessionTest, TheSameSourceIsHeldAgainstItsGoodRuns) {
  for (const double again : {1.27e6, 1e6}) {
    const std::string agent = again > 1e6 ? "anna" : "bert";
    benches_.script.times_ns = {{"anna", 1e6}, {"bert", 1e6}};
    for (int night = 0; night < 5; ++night) ASSERT_TRUE(look());
    benches_.script.times_ns[agent] = 1.27e6;
    ASSERT_TRUE(look());
    ASSERT_THAT(night_->night().suspects, SizeIs(1));
    EXPECT_TRUE(suspect().same_source());
    for (const char* place : {"000-1-after", "000-2-after"})
      benches_.script.times_ns[place] = again;
    again_ = KeptRun();
    const Status cleared = clear();
    ASSERT_TRUE(cleared.ok()) << cleared.error().message;
    EXPECT_EQ(suspect().clearance, again > 1e6 ? Clearance::kConfirmed : Clearance::kCleared);
    for (const Evaluation& row : again_.rows)
      EXPECT_THAT(row.submission->agent, HasSubstr("after")) << "nothing else is measured";
    std::filesystem::remove(terms_.database);
    std::filesystem::remove(remeasured_database(terms_.database));
  }
}

// Slower in one round, and not in the next.
TEST_F(NightSessionTest, WhatIsOpenAfterTheLastRoundIsUnclear) {
  benches_.script.times_ns = {{"anna", 1e6}};
  ASSERT_TRUE(look());
  folder_.write("subs/anna/level1/019_relu.cpp", "int slower;\n");
  benches_.script.times_ns = {{"anna", 1.27e6}};
  asked_.choices.most_pairs = 4;
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    const bool slower = again_.rows.size() / 2 % 2 == 0 && unit.id.agent.ends_with("after");
    benches_.script.times_ns[unit.id.agent] = slower ? 1.27e6 : 1e6;
  };
  const Status cleared = clear();
  ASSERT_TRUE(cleared.ok()) << cleared.error().message;
  EXPECT_EQ(suspect().clearance, Clearance::kUnclear);
  EXPECT_THAT(again_.rows, SizeIs(8)) << "four rounds, both sides in each";
  EXPECT_THAT(notes_, HasSubstr("round 4 of at most 4"));
}

TEST_F(NightSessionTest, CtrlCBetweenTwoRoundsKeepsWhatWasFound) {
  benches_.script.times_ns = {{"anna", 1e6}};
  ASSERT_TRUE(look());
  folder_.write("subs/anna/level1/019_relu.cpp", "int slower;\n");
  benches_.script.times_ns = {{"anna", 1.27e6}};
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  for (const std::string place : {"000-1-", "000-2-"}) {
    benches_.script.times_ns[place + "before"] = 1e6;
    benches_.script.times_ns[place + "after"] = 1.27e6;
  }
  int asked = 0;
  ASSERT_TRUE(clear([&] { return ++asked > 2; }).ok());
  EXPECT_TRUE(night_->interrupted());
  EXPECT_THAT(again_.rows, SizeIs(4)) << "two rounds";
  EXPECT_EQ(suspect().evidence.slowdowns.size(), 2U);
  EXPECT_EQ(suspect().clearance, Clearance::kOpen);
}

TEST_F(NightSessionTest, CtrlCWithinARoundIsToldAsOne) {
  ASSERT_TRUE(look());
  benches_.script.states["anna"] = State::kWrongResult;
  benches_.script.states["bert"] = State::kWrongResult;
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(2));
  benches_.script.while_measuring = [](const PlannedRow&) { ::raise(SIGINT); };
  const Status cleared = clear();
  ASSERT_FALSE(cleared.ok());
  EXPECT_EQ(cleared.error().code, ErrorCode::kInterrupted) << "was: the machine's fault";
  EXPECT_TRUE(night_->interrupted());
}

TEST_F(NightSessionTest, AManifestThatMakesNoSenseIsNotTriedAgain) {
  ASSERT_TRUE(look());
  std::filesystem::remove(folder_ / "subs/anna/level1/019_relu.cpp");
  folder_.write("subs/anna/level1/019_relu/main.cpp", "int nothing;\n");
  folder_.write("subs/anna/level1/019_relu/submission.json", "no JSON");
  ASSERT_TRUE(look());
  ASSERT_THAT(night_->night().suspects, SizeIs(1));
  EXPECT_TRUE(suspect().cannot_be_read());
  EXPECT_EQ(suspect().clearance, Clearance::kConfirmed);
  ASSERT_TRUE(clear().ok());
  EXPECT_THAT(again_.rows, IsEmpty());
}

TEST_F(NightSessionTest, WhatReportsAddMayFail) {
  asked_.run = request_;
  asked_.terms = terms_;
  begin_with_tables();
  night_.emplace(asked_, watched_);
  ASSERT_TRUE(night_->run(kept_).ok());
  const Status loaded = night_->load([](ReportData&, const Store&) {
    return Status(Error{ErrorCode::kInfrastructure, "no lint records", ""});
  });
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message, "no lint records");
}

// Six nights before: the oldest is no reference any more.
TEST_F(NightSessionTest, TheLastFiveGoodRunsAreTheReference) {
  request_.agent = "anna";
  for (int night = 0; night < 6; ++night) {
    benches_.script.times_ns = {{"anna", night == 0 ? 9e6 : 1e6}};
    ASSERT_TRUE(look());
  }
  ASSERT_TRUE(look());
  EXPECT_THAT(night_->night().good_runs, SizeIs(5));
  for (const kbench::Run& run : night_->night().good_runs)
    EXPECT_NE(run.id, night_->tonight().run.id);
}

}  // namespace
}  // namespace kbench::test
