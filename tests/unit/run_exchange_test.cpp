// Runs that share their rows in an exchange, on a bench that measures nothing, and what comes of
// them in one database.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/model.hpp"
#include "runner/core/labels.hpp"
#include "runner/pool/again.hpp"
#include "runner/pool/collector.hpp"
#include "runner/pool/pool_examination.hpp"
#include "runner/pool/publish_pace.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "tests/unit/run_fixture.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Three submissions for one task; each run() is another machine with a database of its own.
class RunExchangeTest : public RunTest {
 protected:
  RunExchangeTest() {
    for (const char* agent : {"a", "b", "c"}) submit(std::string(agent) + "/level1/019_relu.cpp");
    request_.shard = ShardChoice{1, 1};
    request_.group = "night";
    terms_.exchange = shared_;
  }

  PoolKey pool() const { return keep_pool_key(benches_.place.state).value(); }
  Exchange exchange() const { return Exchange::make(shared_, pool()).value(); }
  ExchangeSpace space() const { return exchange().space("night"); }

  RunOutcome run_on_machine(const std::string& name) {
    terms_.database = folder_ / (name + ".sqlite");
    return good_run();
  }
  // Stops before this agent's submission is measured.
  void stop_before(const std::string& agent) {
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

  CollectedRuns collect() {
    Collector collector(exchange(), "night", all_, chain_key_of(std::string(32, 'k')));
    const auto collected = collector.pass();
    EXPECT_TRUE(collected.ok()) << collected.error().message;
    return collected ? *collected : CollectedRuns();
  }
  std::vector<Evaluation> collected_rows() const {
    auto opened = Store::open(all_, Store::Mode::kReadOnly);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    if (!opened) return {};
    Store& store = *opened;
    store.use(chain_key_of(std::string(32, 'k')));
    std::vector<Evaluation> rows;
    const auto runs = store.runs();
    for (const kbench::Run& run : *runs) {
      const StoredRun stored = store.read(run.id).value();
      EXPECT_EQ(stored.chain.state, ChainFinding::State::kHolds) << stored.chain.message;
      rows.insert(rows.end(), stored.evaluations.begin(), stored.evaluations.end());
    }
    return rows;
  }
  // How often each agent counts.
  std::map<std::string, int> counting() const {
    std::map<std::string, int> counts;
    for (const Evaluation& row : collected_rows())
      if (!is_again(row)) ++counts[row.submission ? row.submission->agent : "-"];
    return counts;
  }

  // The findings of `kbench exchange check`; each has a next step.
  std::vector<std::string> findings() const {
    const auto examined = examine_pool(shared_, pool());
    if (!examined) return {examined.error().message};
    std::vector<std::string> words;
    for (const ExchangeFinding& finding : examined->findings) {
      words.push_back(finding.what);
      EXPECT_THAT(finding.then, Not(IsEmpty())) << finding.what;
    }
    return words;
  }
  PrunedExchange prune(bool dry_run) const {
    return prune_pool(shared_, pool(), {.dry_run = dry_run}).value();
  }

  fs::path shared_ = folder_ / "shared";
  fs::path all_ = folder_ / "all.sqlite";
  bool stopping_ = false;
};

const std::map<std::string, int> kEachOnce = {{"a", 1}, {"b", 1}, {"c", 1}};

TEST_F(RunExchangeTest, ASecondRunMeasuresNothingThatLiesThere) {
  exchange();
  const RunOutcome first = run_on_machine("one");
  EXPECT_EQ(first.rows, 3);
  EXPECT_EQ(first.answered, 0);
  EXPECT_THAT(benches_.measured, SizeIs(3));
  const RunOutcome second = run_on_machine("two");
  EXPECT_THAT(benches_.measured, IsEmpty());
  EXPECT_TRUE(second.is_complete());
  EXPECT_EQ(second.rows, 3);
  EXPECT_EQ(second.answered, 3);
  EXPECT_THAT(kept_.told.lines, HasSubstr("3 of 3 rows lie in"));
  EXPECT_THAT(summarize(second, terms_), HasSubstr("3 answered by other runs of"));
  EXPECT_THAT(space().runs(), SizeIs(2));
}

TEST_F(RunExchangeTest, WithoutAGroupARunMeasuresAnew) {
  exchange();
  request_.shard.reset();
  request_.group.clear();
  run_on_machine("one");
  run_on_machine("two");
  EXPECT_THAT(benches_.measured, SizeIs(3));
}

TEST_F(RunExchangeTest, ASecondAttemptMeasuresWhatIsMissing) {
  exchange();
  stop_before("b");
  const RunOutcome first = run_on_machine("one");
  EXPECT_TRUE(first.interrupted);
  never_stop();
  const RunOutcome second = run_on_machine("two");
  EXPECT_EQ(second.answered, 2);
  EXPECT_THAT(benches_.measured, ElementsAre("c/level1/019_relu.cpp"));
  EXPECT_EQ(collect().added, 3U);
  EXPECT_EQ(counting(), kEachOnce);
}

// The reports of a group show all that its attempts have measured between them.
TEST_F(RunExchangeTest, AttemptsOfAShardAreOneRunInReports) {
  exchange();
  stop_before("b");
  run_on_machine("one");
  never_stop();
  run_on_machine("two");
  collect();
  const auto store = Store::open(all_, Store::Mode::kReadOnly);
  const auto data = load_report(*store, "night", Shards::kTogether);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_THAT(data->evaluations, SizeIs(3));
  EXPECT_THAT(data->group->left_out, IsEmpty());
  EXPECT_NE(data->run.finished_at, "") << "the second attempt has finished the shard";
  EXPECT_THAT(group_sentences(*data), ElementsAre("1 of the 1 shards of night"));
}

// A copy that was slower: its key was linked while it measured.
TEST_F(RunExchangeTest, WhoeverLosesKeepsItsRowAsAgainAndItCountsNowhere) {
  exchange();
  terms_.exchange.reset();
  run_on_machine("keys");
  const std::string key_of_b = stored().at(1).key;
  terms_.exchange = shared_;
  const std::string faster(32, '7');
  benches_.script.while_measuring = [&](const PlannedRow& unit) {
    if (unit.id.agent == "b") {
      EXPECT_EQ(*space().keys().claim(key_of_b, faster), faster);
    }
  };
  const RunOutcome outcome = run_on_machine("one");
  EXPECT_EQ(outcome.again, 1);
  EXPECT_THAT(summarize(outcome, terms_), HasSubstr(", 1 again"));
  std::map<std::string, bool> again;
  for (const Evaluation& row : stored()) again[row.submission->agent] = is_again(row);
  EXPECT_EQ(again, (std::map<std::string, bool>{{"a", false}, {"b", true}, {"c", false}}));
  EXPECT_THAT(stored().at(1).unranked, HasSubstr("run 777777777777 had published its answer"));
  EXPECT_EQ(collect().again, 1U);
  EXPECT_THAT(collected_rows(), SizeIs(3));
  EXPECT_EQ(counting(), (std::map<std::string, int>{{"a", 1}, {"c", 1}}));
}

TEST_F(RunExchangeTest, AFaultOfTheMachineAnswersNoKey) {
  exchange();
  benches_.script.states["b"] = State::kInfrastructureError;
  run_on_machine("one");
  EXPECT_EQ(collect().waiting, 1U);
  benches_.script.states.clear();
  const RunOutcome second = run_on_machine("two");
  EXPECT_THAT(benches_.measured, ElementsAre("b/level1/019_relu.cpp"));
  EXPECT_TRUE(second.is_complete());
  const CollectedRuns collected = collect();
  EXPECT_EQ(collected.waiting, 0U);
  EXPECT_EQ(collected.finished, 2U);
  EXPECT_EQ(counting(), kEachOnce);
}

TEST_F(RunExchangeTest, RunsOfAGroupMeasureInOneWay) {
  exchange();
  run_on_machine("one");
  request_.quick = true;
  terms_.database = folder_ / "two.sqlite";
  const Error refused = refused_run();
  EXPECT_EQ(refused.code, ErrorCode::kUsage);
  EXPECT_THAT(refused.message, HasSubstr("quick is false there and true here"));
}

TEST_F(RunExchangeTest, AnotherCompilerIsRefusedByName) {
  exchange();
  run_on_machine("one");
  for (std::string* tool : {&benches_.script.compiler, &benches_.script.nvcc}) {
    const std::string before = std::exchange(*tool, "another one 1.0");
    terms_.database = folder_ / "two.sqlite";
    const Error refused = refused_run();
    EXPECT_EQ(refused.code, ErrorCode::kUsage);
    EXPECT_THAT(refused.message, HasSubstr("there and another one 1.0 here"));
    *tool = before;
  }
}

// The terms were removed from the folder, so that nobody refused the second run.
TEST_F(RunExchangeTest, ARunOfAnotherKindOfMachineIsLeftOutByNameWhenCollected) {
  exchange();
  fs::create_directories(shared_ / "night");
  const fs::path terms = shared_ / "night/terms";
  run_on_machine("one");
  fs::rename(terms, folder_ / "first terms");
  benches_.script.compiler = "g++ 99";
  run_on_machine("two");
  fs::rename(folder_ / "first terms", terms);
  const CollectedRuns collected = collect();
  EXPECT_EQ(collected.runs, 1U);
  ASSERT_THAT(collected.refused, SizeIs(1));
  EXPECT_THAT(collected.refused.front(),
              AllOf(HasSubstr("another kind of machine"),
                    HasSubstr("host_compiler is g++ 12 there and g++ 99 here")));
}

TEST_F(RunExchangeTest, WithoutAPoolsKeyOrAnExchangeNothingIsMeasured) {
  terms_.exchange = shared_;
  EXPECT_THAT(refused_run().hint, HasSubstr("kbench exchange init"));
  pool();
  EXPECT_THAT(refused_run().message, HasSubstr("is no exchange"));
  EXPECT_THAT(benches_.measured, IsEmpty());
}

// A writer to the folder who lacks the key can only withhold.
TEST_F(RunExchangeTest, AForgedKeyIsNotBelievedAndIsNamed) {
  exchange();
  const RunOutcome first = run_on_machine("one");
  const std::string key = stored().front().key;
  std::ofstream(space().keys().file_of(key)) << "forged";
  run_on_machine("two");
  EXPECT_THAT(benches_.measured, SizeIs(1)) << "measured again";
  EXPECT_THAT(kept_.told.lines, HasSubstr("no row can answer this request"));
  const CollectedRuns collected = collect();
  EXPECT_EQ(collected.waiting, 0U);
  EXPECT_THAT(collected.refused, SizeIs(2)) << "by the row of each run";
  EXPECT_THAT(counting(), SizeIs(2)) << "the withheld one is not there, and none is there twice";
}

// With the key removed a second run answers it, too; the first one that was collected stays.
TEST_F(RunExchangeTest, ARemovedKeyIsNotCountedTwice) {
  exchange();
  const RunOutcome first = run_on_machine("one");
  collect();
  fs::remove_all(shared_ / "night/keys");
  fs::remove(space().file_of(first.run.id));
  run_on_machine("two");
  EXPECT_THAT(benches_.measured, SizeIs(3));
  EXPECT_EQ(collect().again, 3U);
  EXPECT_EQ(counting(), kEachOnce);
}

TEST_F(RunExchangeTest, ARowThatCouldNotBePublishedIsStoredAndPublishedByResume) {
  exchange();
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    if (unit.id.agent != "b") return;
    fs::rename(shared_, folder_ / "gone");
    std::ofstream(shared_) << "no folder";
  };
  terms_.database = folder_ / "one.sqlite";
  const Error refused = refused_run();
  EXPECT_THAT(refused.hint, HasSubstr("--resume publishes it"));
  EXPECT_THAT(stored(), SizeIs(2));
  never_stop();
  fs::remove(shared_);
  fs::rename(folder_ / "gone", shared_);
  terms_.resume = "latest";
  EXPECT_TRUE(good_run().is_complete());
  EXPECT_THAT(benches_.measured, ElementsAre("c/level1/019_relu.cpp"));
  EXPECT_EQ(collect().added, 3U);
  EXPECT_EQ(counting(), kEachOnce);
}

// Was: the run's whole file was opened and written for each row, which is quadratic.
TEST(PublishPace, ManyRowsThatComeFastComeTogether) {
  using std::chrono::milliseconds;
  PublishPace pace;
  PublishPace::Time now{};
  EXPECT_FALSE(pace.is_due(now)) << "nothing waits";
  int written = 0;
  for (int row = 1; row <= 1000; ++row) {
    pace.add();
    if (!pace.is_due(now)) continue;
    pace.put(now, now + milliseconds{10});
    ++written;
    if (row <= 20) {
      EXPECT_EQ(written, row) << "the first ones are there at once";
    }
  }
  EXPECT_LT(written, 150);
  pace.put(now, now + milliseconds{10});
  pace.add();
  EXPECT_FALSE(pace.is_due(now + milliseconds{209}));
  EXPECT_TRUE(pace.is_due(now + milliseconds{210})) << "twenty times as long as writing took";
  pace.put(now, now + std::chrono::hours{1});
  pace.add();
  EXPECT_TRUE(pace.is_due(now + std::chrono::hours{1} + std::chrono::minutes{1}));
}

// Rows that wait when a run ends were measured: they are published, stored and told of.
TEST_F(RunExchangeTest, RowsThatWaitArePublishedAtTheEnd) {
  exchange();
  for (int agent = 100; agent < 160; ++agent) submit(fmt::format("x{}/level1/019_relu.cpp", agent));
  stop_before("x157");
  EXPECT_EQ(run_on_machine("one").rows, 61);
  EXPECT_THAT(stored(), SizeIs(61));
  EXPECT_EQ(collect().added, 61U);
  never_stop();
  terms_.resume = "latest";
  EXPECT_TRUE(good_run().is_complete());
  EXPECT_EQ(collect().added, 2U);
  EXPECT_THAT(counting(), SizeIs(63));
}

// A run that is killed between publishing rows and storing them.
TEST_F(RunExchangeTest, RowsThatWerePublishedAndNotStoredAreTakenBack) {
  exchange();
  benches_.script.states["c"] = State::kWrongResult;
  stop_before("b");
  EXPECT_EQ(run_on_machine("one").rows, 2) << "it finishes what is at hand";
  const fs::path before = folder_ / "before.sqlite";
  fs::copy_file(terms_.database, before);
  never_stop();
  terms_.resume = "latest";
  EXPECT_TRUE(good_run().is_complete());
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(terms_.database.string() + suffix);
  fs::copy_file(before, terms_.database);
  benches_.script.while_measuring = [](const PlannedRow& unit) {
    ADD_FAILURE() << unit.id.agent << " is measured again";
  };
  const RunOutcome outcome = good_run();
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(outcome.rows, 3) << "those that were taken back among them";
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_THAT(stored(), SizeIs(3));
  collect();
  EXPECT_EQ(counting(), kEachOnce);
}

// --- the database of all ---

TEST_F(RunExchangeTest, CollectingAgainAddsNothing) {
  exchange();
  run_on_machine("one");
  const CollectedRuns first = collect();
  EXPECT_EQ(first.added, 3U);
  EXPECT_EQ(first.runs, 1U);
  EXPECT_EQ(first.finished, 1U);
  const CollectedRuns second = collect();
  EXPECT_EQ(second.added, 0U);
  EXPECT_EQ(second.finished, 1U);
  EXPECT_EQ(counting(), kEachOnce);
  // Sources come along.
  const auto store = Store::open(all_, Store::Mode::kReadOnly);
  for (const Evaluation& row : collected_rows())
    EXPECT_THAT(sources_of(*store, row).value(), SizeIs(2));
}

TEST_F(RunExchangeTest, ARunThatGoesOnIsCollectedAsFarAsItIs) {
  exchange();
  stop_before("b");
  run_on_machine("one");
  EXPECT_EQ(collect().added, 2U);
  EXPECT_EQ(collect().finished, 0U);
  never_stop();
  terms_.resume = "latest";
  good_run();
  const CollectedRuns collected = collect();
  EXPECT_EQ(collected.added, 1U);
  EXPECT_EQ(collected.finished, 1U);
  EXPECT_EQ(counting(), kEachOnce);
}

TEST_F(RunExchangeTest, TruncatedForeignAndForgedFilesAreNamedAndLeftOut) {
  exchange();
  const RunOutcome good = run_on_machine("one");
  const fs::path file = space().file_of(good.run.id);
  const auto named = [&](int number) {
    return space().file_of(std::string(31, '0') + std::to_string(number));
  };
  fs::copy_file(file, named(1));  // another name than its run's
  fs::copy_file(file, named(2));
  fs::resize_file(named(2), fs::file_size(named(2)) / 2);
  std::ofstream(named(3)) << "no database";
  std::ofstream(named(4));
  fs::create_symlink(file, named(5));
  fs::create_directory(named(6));
  std::ofstream(shared_ / "night/runs/notes.txt") << "x";
  const CollectedRuns collected = collect();
  EXPECT_THAT(collected.refused, SizeIs(7));
  EXPECT_EQ(collected.runs, 1U);
  EXPECT_EQ(counting(), kEachOnce);
}

TEST_F(RunExchangeTest, AChangedRowAndAnotherPoolsRunAreLeftOut) {
  exchange();
  const RunOutcome good = run_on_machine("one");
  const fs::path file = space().file_of(good.run.id);
  const fs::path kept = folder_ / "kept.sqlite";
  fs::copy_file(file, kept);
  {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE evaluation SET state = 'crash'");
  }
  EXPECT_THAT(collect().refused, ElementsAre(HasSubstr("is not what was stored there")));
  fs::copy_file(kept, file, fs::copy_options::overwrite_existing);
  EXPECT_THAT(collect().refused, IsEmpty());
  // Chained by somebody who has another key.
  fs::remove(file);
  fs::remove(all_);
  {
    auto store = Store::open(file, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok());
    store->use(chain_key_of(std::string(32, 'x')));
    ASSERT_TRUE(store->begin_run(stored_run(good.run.id)).ok());
  }
  EXPECT_THAT(collect().refused, ElementsAre(HasSubstr("cannot be checked here")));
}

// Each moment begins with what the one before has left; where all is there, it begins anew.
TEST_F(RunExchangeTest, KilledAtFiftyMomentsNothingIsThereTwiceAndNothingIsLost) {
  exchange();
  for (const char* agent : {"d", "e", "f", "g"})
    submit(std::string(agent) + "/level1/019_relu.cpp");
  run_on_machine("one");
  const auto begin = std::chrono::steady_clock::now();
  collect();
  const auto whole = std::chrono::steady_clock::now() - begin;
  int killed = 0;
  for (int moment = 0; moment < 50; ++moment) {
    if (moment % 10 == 0)
      for (const char* ending : {"", "-wal", "-shm"}) fs::remove(all_.string() + ending);
    const pid_t child = start_child([&] {
      collect();
      return 0;
    });
    std::this_thread::sleep_for(whole * (moment % 10 + 1) / 10);
    ::kill(child, SIGKILL);
    killed += wait_for(child) == -SIGKILL ? 1 : 0;
    if (!Store::open(all_, Store::Mode::kReadOnly)) continue;  // nothing is in it yet
    for (const auto& [agent, count] : counting()) EXPECT_EQ(count, 1) << agent;
  }
  EXPECT_GT(killed, 0);
  collect();
  EXPECT_THAT(counting(), SizeIs(7));
  for (const auto& [agent, count] : counting()) EXPECT_EQ(count, 1) << agent;
  EXPECT_EQ(collect().added, 0U);
}

// --- what a neighbour without the key has put there, found before anybody collects ---

// A change to one file, and the words that `check` must have for it.
struct Forgery {
  std::string words;
  std::function<void(const fs::path& file)> forge;
};

std::vector<Forgery> forgeries() {
  return {{"is not what was stored there",
           [](const fs::path& file) {
             SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
                 .exec("UPDATE evaluation SET state = 'crash'");
           }},
          {"", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
          {"no regular file",
           [](const fs::path& file) {
             fs::remove(file);
             ASSERT_EQ(::mkfifo(file.c_str(), 0666), 0);
           }},
          {"is a link",
           [](const fs::path& file) {
             fs::rename(file, file.parent_path().parent_path() / "moved");
             fs::create_symlink(file.parent_path().parent_path() / "moved", file);
           }},
          {"is too large",
           [](const fs::path& file) { fs::resize_file(file, std::uintmax_t{8} << 30); }},
          {"an empty database", [](const fs::path& file) { fs::resize_file(file, 0); }},
          {"no such file", [](const fs::path& file) { fs::remove(file); }}};
}

TEST_F(RunExchangeTest, CheckReadsEachRunAsMergeDoes) {
  exchange();
  const RunOutcome good = run_on_machine("one");
  EXPECT_THAT(findings(), IsEmpty());
  const fs::path file = space().file_of(good.run.id);
  fs::copy_file(file, folder_ / "kept");
  for (const Forgery& forgery : forgeries()) {
    forgery.forge(file);
    EXPECT_THAT(findings(), ElementsAre(AllOf(HasSubstr(file.string()), HasSubstr(forgery.words),
                                              HasSubstr("3 answers point to it"))));
    fs::remove(file);
    fs::copy_file(folder_ / "kept", file);
  }
  fs::rename(file, space().file_of(std::string(32, '0')));
  EXPECT_THAT(findings(), SizeIs(2)) << "of another name, and not where the answers point to";
}

TEST_F(RunExchangeTest, CheckReadsTheTerms) {
  exchange();
  run_on_machine("one");
  const fs::path terms = shared_ / "night/terms";
  for (const Forgery& forgery :
       {Forgery{"nobody of this pool has signed it",
                [](const fs::path& file) { std::ofstream(file) << "junk"; }},
        forgeries()[2], forgeries()[3],
        Forgery{"which are gone", [](const fs::path& file) { fs::remove(file); }}}) {
    fs::copy_file(terms, folder_ / "terms");
    forgery.forge(terms);
    EXPECT_THAT(findings(),
                ElementsAre(AllOf(HasSubstr(terms.string()), HasSubstr(forgery.words))));
    fs::remove(terms);
    fs::remove(shared_ / "night/moved");
    fs::rename(folder_ / "terms", terms);
  }
}

TEST_F(RunExchangeTest, TermsThatAreALinkRefuseARunAsBadInput) {
  exchange();
  fs::create_directories(shared_ / "night");
  fs::create_symlink(folder_ / "elsewhere", shared_ / "night/terms");
  terms_.database = folder_ / "one.sqlite";
  EXPECT_EQ(refused_run().code, ErrorCode::kBadInput);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

// With the torn run's answers there, all later rows would be `again`, and none would count.
TEST_F(RunExchangeTest, PruneRemovesAnswersOfAnUnsoundRunAndTheNextRunAnswers) {
  for (const Forgery& forgery : forgeries()) {
    exchange();
    const RunOutcome torn = run_on_machine("one");
    forgery.forge(space().file_of(torn.run.id));
    EXPECT_EQ(run_on_machine("two").again, 3);
    EXPECT_THAT(kept_.told.lines, HasSubstr("ignored: " + space().file_of(torn.run.id).string()));
    EXPECT_THAT(findings(), Contains(HasSubstr(forgery.words)));
    EXPECT_THAT(prune(true).removed, SizeIs(forgery.words == "no such file" ? 3 : 4));
    EXPECT_THAT(prune(false).removed, SizeIs(forgery.words == "no such file" ? 3 : 4));
    EXPECT_THAT(findings(), IsEmpty()) << forgery.words;
    const RunOutcome third = run_on_machine("three");
    EXPECT_EQ(third.again, 0);
    EXPECT_THAT(benches_.measured, SizeIs(3));
    EXPECT_THAT(collect().refused, IsEmpty());
    EXPECT_EQ(counting(), kEachOnce) << forgery.words;
    for (const char* name : {"one.sqlite", "two.sqlite", "three.sqlite", "all.sqlite"})
      for (const char* ending : {"", "-wal", "-shm"})
        fs::remove(folder_ / (name + std::string(ending)));
    fs::remove_all(shared_);
  }
}

// An older state of a run's file, which the pool has signed as well, lacks a row.
TEST_F(RunExchangeTest, AnAnswerWithoutARowIsFoundAndPruned) {
  exchange();
  stop_before("b");
  const RunOutcome first = run_on_machine("one");
  fs::copy_file(space().file_of(first.run.id), folder_ / "older");
  never_stop();
  terms_.resume = "latest";
  good_run();
  fs::copy_file(folder_ / "older", space().file_of(first.run.id),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("has no row of it")));
  EXPECT_THAT(prune(false).removed, SizeIs(1));
  EXPECT_THAT(findings(), IsEmpty());
}

// A run of a newer kbench may be sound: a machine that cannot read it removes nothing of it.
TEST_F(RunExchangeTest, ARunOfANewerKbenchIsNamedAndNotPruned) {
  exchange();
  const RunOutcome newer = run_on_machine("one");
  {
    SQLite::Database(space().file_of(newer.run.id).string(), SQLite::OPEN_READWRITE)
        .exec("PRAGMA user_version = 9999");
  }
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("written by a newer kbench")));
  EXPECT_THAT(prune(false).removed, IsEmpty());
}

TEST_F(RunExchangeTest, KeysThatNobodySignedAreNamedWhenCollected) {
  exchange();
  run_on_machine("one");
  const std::vector<Evaluation> rows = stored();
  const auto file = [&](std::size_t row) { return space().keys().file_of(rows.at(row).key); };
  // The first is another one's, the second one of another group.
  fs::copy_file(file(2), file(0), fs::copy_options::overwrite_existing);
  const auto other = exchange().space("other");
  ASSERT_TRUE(other.keys().claim(rows.at(1).key, rows.at(1).run_id).ok());
  fs::copy_file(other.keys().file_of(rows.at(1).key), file(1),
                fs::copy_options::overwrite_existing);
  const CollectedRuns collected = collect();
  EXPECT_EQ(collected.waiting, 0U);
  EXPECT_THAT(collected.refused,
              ElementsAre(HasSubstr(file(0).string()), HasSubstr(file(1).string())));
  EXPECT_THAT(collected.refused, Each(HasSubstr("nobody of this pool has signed it")));
  EXPECT_EQ(counting(), (std::map<std::string, int>{{"c", 1}}));
}

TEST_F(RunExchangeTest, NamesThatTheExchangeUsesAreNoGroups) {
  exchange();
  for (const char* name : {"cache", "pool", ".night"}) {
    request_.group = name;
    terms_.database = folder_ / "one.sqlite";
    const Error refused = refused_run();
    EXPECT_EQ(refused.code, ErrorCode::kUsage);
    EXPECT_THAT(refused.message, AllOf(HasSubstr(name), HasSubstr("reserved"))) << name;
    EXPECT_THAT(benches_.measured, IsEmpty());
    EXPECT_EQ(exchange().find_space(name).error().code, ErrorCode::kUsage);
  }
}

TEST_F(RunExchangeTest, AGroupThatIsNotThereIsNotFoundAndThoseThereAreNamed) {
  exchange();
  EXPECT_THAT(exchange().find_space("typo").error().hint, HasSubstr("no group yet"));
  run_on_machine("one");
  EXPECT_TRUE(exchange().find_space("night").ok());
  const Error error = exchange().find_space("typo").error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("no group typo"));
  EXPECT_THAT(error.hint, HasSubstr("night"));
}

}  // namespace
}  // namespace kbench::test
