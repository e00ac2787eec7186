// Frozen states in a database: what comes back, what is refused, and what is done to whole
// databases that hold some.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/store/care/backup.hpp"
#include "runner/store/care/database_check.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/care/prune.hpp"
#include "runner/store/care/salvage.hpp"
#include "runner/store/file/migrations.hpp"
#include "tests/unit/damaged_source_fixture.hpp"
#include "tests/unit/database_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kPlan = "{\"the\":\"plan of a study\"}";
const std::vector<std::string> kTables = {"state", "node",  "parent", "report",
                                          "holds", "study", "cell"};

// A chain of `length` states, each with a kernel of its own and one context.
struct Chain {
  Trajectories all;
  std::vector<Blob> blobs;

  explicit Chain(int length, const std::string& trajectory = "t1") {
    const auto keep = [&](const std::string& text) {
      blobs.push_back(pack(text));
      return blobs.back().hash;
    };
    const std::string context = keep("the context of all");
    for (int i = 0; i < length; ++i) {
      const std::string code = "int kernel_" + std::to_string(i) + ";";
      const std::string file = keep(code);
      const FrozenState state = {
          .task = "level1/019_relu",
          .task_hash = "aa11",
          .size = "small",
          .device = "cpu",
          .files = {{"src/main.cpp", file, static_cast<std::int64_t>(code.size())}},
          .context = context};
      all.states.push_back(state);
      TrajectoryNode node = {.state = state_id(state),
                             .parents = {},
                             .trajectory = trajectory,
                             .generation = i,
                             .origin = "jsonl",
                             .outcome = R"({"stratum":"wrong"})"};
      if (i > 0) node.parents = {node_id(all.nodes.back())};
      all.nodes.push_back(node);
      all.reports.push_back(
          {node.state, "error", "1", "raw", "answered", keep("report on " + std::to_string(i))});
    }
  }
  [[nodiscard]] std::string id(std::size_t at) const { return node_id(all.nodes.at(at)); }
};

class StoredStates : public DatabaseTest {
 protected:
  static Store open_at(const std::filesystem::path& file,
                       Store::Mode mode = Store::Mode::kReadOnly) {
    auto store = Store::open(file, mode);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }
  Store open(Store::Mode mode = Store::Mode::kReadWrite) { return open_at(file_, mode); }

  int count(const std::string& what) {
    return SQLite::Database(file_.string()).execAndGet("SELECT count(*) FROM " + what).getInt();
  }

  static void hold(const std::filesystem::path& file, const std::string& run, const Chain& chain) {
    test::add_run(file, {.id = run, .rows = 2, .samples = 2});
    Store store = open_at(file, Store::Mode::kReadWrite);
    const Status added = store.add_trajectories(run, chain.all, chain.blobs);
    ASSERT_TRUE(added.ok()) << added.error().message;
  }

  // A study in that run with a cell that is complete and one that is not.
  static void add_study(const std::filesystem::path& file, const std::string& run,
                        const Chain& chain) {
    Store store = open_at(file, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.begin_study(run, kPlan).ok());
    const std::vector<Blob> texts = {pack("a plan"), pack("a reply")};
    StateCell cell = {.node = chain.id(0), .arm = "direct", .coalition = "error"};
    ASSERT_TRUE(store.put_cell(sha256(kPlan), cell, {}).ok());
    cell.replicate = 1;
    cell.plan = texts[0].hash;
    cell.reply = texts[1].hash;
    cell.evaluation = "key-1";
    cell.status = "done";
    cell.tokens_in = 900;
    cell.tokens_out = 90;
    const Status put = store.put_cell(sha256(kPlan), cell, texts);
    ASSERT_TRUE(put.ok()) << put.error().message;
  }

  std::vector<std::string> wrong_of(const std::filesystem::path& file) {
    const auto check = check_database(file, {.key = test::test_key(), .progress = {}});
    EXPECT_TRUE(check.ok());
    std::vector<std::string> wrong = check->wrong;
    for (const CheckedRun& run : check->runs)
      wrong.insert(wrong.end(), run.wrong.begin(), run.wrong.end());
    return wrong;
  }

  static Merged merge_into(const std::filesystem::path& into, const std::filesystem::path& from) {
    auto merged =
        merge_databases({.into = into, .from = {from}, .key = test::test_key(), .progress = {}});
    EXPECT_TRUE(merged.ok()) << merged.error().message;
    return merged ? std::move(*merged) : Merged{};
  }
};

TEST_F(StoredStates, ComeBackAsTheyWere) {
  const Chain chain(3);
  hold(file_, "aa", chain);
  add_study(file_, "aa", chain);
  const Store store = open(Store::Mode::kReadOnly);
  const auto back = store.trajectories("aa");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->states, chain.all.states);
  EXPECT_EQ(back->nodes, chain.all.nodes);
  EXPECT_THAT(back->reports, ::testing::UnorderedElementsAreArray(chain.all.reports));
  ASSERT_EQ(back->studies.size(), 1u);
  ASSERT_EQ(back->studies[0].cells.size(), 2u);
  EXPECT_EQ(back->studies[0].cells[1].evaluation, "key-1");
  EXPECT_EQ(back->studies[0].cells[1].tokens_in, 900);
  EXPECT_EQ(store.nodes("aa")->size(), 3u);
  EXPECT_EQ(store.read_node(chain.id(1).substr(0, 12))->state, chain.all.states[1]);
  EXPECT_EQ(store.read_node("no such").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(wrong_of(file_), IsEmpty());
}

TEST_F(StoredStates, AnUnknownParentIsRefusedAndNothingOfItStays) {
  Chain chain(2);
  chain.all.nodes[1].parents = {std::string(64, 'a')};
  test::add_run(file_, {.id = "aa"});
  Store store = open();
  const Status added = store.add_trajectories("aa", chain.all, chain.blobs);
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("parent aaaaaaaaaaaa, which is not there"));
  for (const std::string& table : kTables) EXPECT_EQ(count(table), 0) << table;
}

TEST_F(StoredStates, ARunHoldsTheParentsOfWhatItHolds) {
  const Chain chain(2);
  hold(file_, "aa", chain);
  test::add_run(file_, {.id = "bb"});
  Trajectories last = chain.all;
  last.nodes.erase(last.nodes.begin());
  EXPECT_FALSE(open().add_trajectories("bb", last, chain.blobs).ok());
}

// The work grew with the square of the length, and a new database was called damaged for it.
TEST_F(StoredStates, ALongChainIsKept) {
  constexpr int kLength = 3'000;
  test::add_run(file_, {.id = "aa"});
  const Chain chain(kLength);
  const Status kept = open().add_trajectories("aa", chain.all, chain.blobs);
  EXPECT_TRUE(kept.ok()) << kept.error().message;
}

TEST_F(StoredStates, UpdateIsRefusedOnAllTables) {
  const Chain chain(2);
  hold(file_, "aa", chain);
  add_study(file_, "aa", chain);
  SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
  for (const char* sql :
       {"UPDATE state SET task = 'x'", "UPDATE node SET outcome = '{}'",
        "UPDATE node SET generation = generation", "UPDATE parent SET parent = parent",
        "UPDATE report SET status = 'x'", "UPDATE holds SET seal = seal",
        "UPDATE study SET run_id = run_id", "UPDATE cell SET arm = 'plan'",
        "UPDATE cell SET replicate = 7 WHERE replicate = 0",
        "UPDATE cell SET status = 'done' WHERE status <> ''",
        "UPDATE cell SET plan = NULL WHERE status <> ''"})
    EXPECT_THROW(raw.exec(sql), SQLite::Exception) << sql;
}

TEST_F(StoredStates, ACellFillsUpOnceEachPartBeforeWhatFollows) {
  const Chain chain(1);
  hold(file_, "aa", chain);
  Store store = open();
  ASSERT_TRUE(store.begin_study("aa", kPlan).ok());
  EXPECT_EQ(store.begin_study("aa", kPlan).error().code, ErrorCode::kUsage);
  const std::string study = sha256(kPlan);
  const std::vector<Blob> texts = {pack("a plan"), pack("a reply"), pack("another")};
  StateCell cell = {.node = chain.id(0), .arm = "plan", .coalition = ""};
  cell.plan = texts[0].hash;
  ASSERT_TRUE(store.put_cell(study, cell, texts).ok());
  StateCell other = cell;
  other.plan = texts[2].hash;
  EXPECT_FALSE(store.put_cell(study, other, texts).ok()) << "the plan is there";
  StateCell early = cell;
  early.evaluation = "key-0";
  EXPECT_FALSE(store.put_cell(study, early, texts).ok()) << "a row without a reply";
  cell.reply = texts[1].hash;
  ASSERT_TRUE(store.put_cell(study, cell, texts).ok());
  cell.evaluation = "key-0";
  ASSERT_TRUE(store.put_cell(study, cell, texts).ok());
  cell.status = "done";
  ASSERT_TRUE(store.put_cell(study, cell, texts).ok());
  cell.tokens_in = 5;
  EXPECT_FALSE(store.put_cell(study, cell, texts).ok()) << "nothing follows";
  StateCell foreign = {.node = std::string(64, 'b'), .arm = "plan", .coalition = ""};
  EXPECT_FALSE(store.put_cell(study, foreign, texts).ok()) << "of no node that the run holds";
}

// --- whole databases ---

TEST_F(StoredStates, OfTwoRunsThatHoldANodePruneOfTheFirstKeepsItAndOfTheSecondRemovesIt) {
  const Chain chain(3);
  hold(file_, "aa", chain);
  add_study(file_, "aa", chain);
  hold(file_, "bb", chain);
  EXPECT_EQ(count("node"), 3);
  EXPECT_EQ(count("holds"), 6);
  ASSERT_TRUE(remove_runs(file_, {"aa"}).ok());
  EXPECT_EQ(count("study") + count("cell"), 0) << "a study goes with its run";
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  EXPECT_EQ(open(Store::Mode::kReadOnly).trajectories("bb")->nodes, chain.all.nodes);
  const auto removed = remove_runs(file_, {"bb"});
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  for (const std::string& table : kTables) EXPECT_EQ(count(table), 0) << table;
  EXPECT_EQ(count("tree"), 0);
  EXPECT_EQ(count("blob"), 0);
}

TEST_F(StoredStates, OfTwoFilesWithCommonStatesMergeKeepsOneOfEach) {
  const auto other = folder_ / "other.sqlite";
  hold(file_, "aa", Chain(2));
  hold(other, "bb", Chain(4));
  add_study(other, "bb", Chain(4));
  EXPECT_EQ(merge_into(file_, other).runs.at(0).state, MergedRun::State::kAdded);
  EXPECT_EQ(count("state"), 4);
  EXPECT_EQ(count("node"), 4);
  EXPECT_EQ(count("holds"), 6);
  EXPECT_EQ(count("cell"), 2);
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  EXPECT_EQ(merge_into(file_, other).runs.at(0).state, MergedRun::State::kThere);
  const auto differs = folder_ / "differs.sqlite";
  hold(differs, "aa", Chain(3));
  EXPECT_EQ(merge_into(file_, differs).runs.at(0).why, "they hold other states");
  const auto taken = folder_ / "taken.sqlite";
  hold(taken, "cc", Chain(1));
  add_study(taken, "cc", Chain(1));
  EXPECT_THAT(merge_into(file_, taken).runs.at(0).why, HasSubstr("is another run's here"));
}

TEST_F(StoredStates, AFlippedBitIsFoundInEachTable) {
  const Chain chain(3);
  hold(file_, "aa", chain);
  hold(file_, "bb", Chain(2));
  add_study(file_, "aa", chain);
  ASSERT_THAT(wrong_of(file_), IsEmpty());
  checkpoint();
  const auto sound = folder_ / "sound.sqlite";
  std::filesystem::copy_file(file_, sound);
  const auto set = std::filesystem::copy_options::overwrite_existing;
  for (const std::string& table : kTables) {
    std::vector<std::string> columns;
    {
      SQLite::Database raw(file_.string(), SQLite::OPEN_READONLY);
      SQLite::Statement rows(raw, "SELECT name FROM pragma_table_info(?)");
      rows.bind(1, table);
      while (rows.executeStep()) columns.push_back(rows.getColumn(0).getString());
    }
    ASSERT_THAT(columns, Not(IsEmpty())) << table;
    for (const std::string& column : columns) {
      SCOPED_TRACE(table + "." + column);
      {
        SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
        raw.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
        raw.exec("PRAGMA synchronous = OFF; BEGIN");
        SQLite::Statement triggers(raw,
                                   "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
        std::vector<std::pair<std::string, std::string>> dropped;
        while (triggers.executeStep())
          dropped.emplace_back(triggers.getColumn(0).getString(),
                               triggers.getColumn(1).getString());
        triggers.reset();
        for (const auto& [name, sql] : dropped) raw.exec("DROP TRIGGER " + name);
        // The lowest bit of a number, or of the first letter.
        const std::string row = table == "cell" ? "replicate = 1" : "true";
        raw.exec("UPDATE OR REPLACE " + table + " SET " + column + " = CASE typeof(" + column +
                 ") WHEN 'integer' THEN (" + column + " | 1) - (" + column +
                 " & 1) ELSE char(unicode(" + column + ") + 1) || substr(" + column +
                 ", 2) END WHERE " + row);
        for (const auto& [name, sql] : dropped) raw.exec(sql);
        raw.exec("COMMIT");
      }
      EXPECT_THAT(wrong_of(file_), Not(IsEmpty()));
      std::filesystem::copy_file(sound, file_, set);
    }
  }
}

TEST_F(StoredStates, AFileWithoutATriggerOfOursIsRefused) {
  hold(file_, "aa", Chain(1));
  tamper("DROP TRIGGER cell_fills_up_once");
  const auto store = Store::open(file_, Store::Mode::kReadWrite);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message, HasSubstr("it lacks the trigger \"cell_fills_up_once\""));
}

// Was: no run could be removed from a file that lacks a single row.
TEST_F(StoredStates, PruneGoesOnWhereARunLacksAParent) {
  hold(file_, "aa", Chain(2));
  test::add_run(file_, {.id = "bb"});
  tamper("DELETE FROM holds WHERE node = 1");
  const auto removed = remove_runs(file_, {"bb"});
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(count("node"), 2);
}

TEST_F(StoredStates, ANodeThatNoRunHoldsIsWrong) {
  hold(file_, "aa", Chain(2));
  tamper("DELETE FROM holds");
  EXPECT_THAT(wrong_of(file_), ElementsAre("2 nodes are held by no run"));
}

TEST_F(StoredStates, AFlippedBitOfAContextIsFound) {
  hold(file_, "aa", Chain(2));
  checkpoint();
  test::flip_a_bit(file_, "the context of all");
  EXPECT_THAT(wrong_of(file_), Not(IsEmpty()));
}

TEST_F(StoredStates, AreSavedFromADamagedFileAndInABackup) {
  const Chain chain(3);
  hold(file_, "aa", chain);
  add_study(file_, "aa", chain);
  const auto copy = folder_ / "copy.sqlite";
  ASSERT_TRUE(back_up(file_, copy).ok());
  EXPECT_EQ(open_at(copy).trajectories("aa")->nodes, chain.all.nodes);
  checkpoint();
  test::overwrite(file_, 0, std::string(100, '\0'));
  const auto saved = folder_ / "saved.sqlite";
  const auto salvaged = salvage(file_, saved, test::test_key());
  ASSERT_TRUE(salvaged.ok()) << salvaged.error().message;
  EXPECT_THAT(salvaged->notes, IsEmpty());
  EXPECT_EQ(open_at(saved).trajectories("aa")->nodes, chain.all.nodes);
  EXPECT_EQ(open_at(saved).trajectories("aa")->studies[0].cells.size(), 2u);
  EXPECT_THAT(wrong_of(saved), IsEmpty());
}

TEST_F(StoredStates, ThoseThatAreDamagedCostNoRun) {
  hold(file_, "aa", Chain(3));
  checkpoint();
  tamper("DELETE FROM holds WHERE node = 1");
  tamper("DELETE FROM parent WHERE node = 2");
  const auto saved = folder_ / "saved.sqlite";
  const auto salvaged = salvage(file_, saved, test::test_key());
  ASSERT_TRUE(salvaged.ok()) << salvaged.error().message;
  EXPECT_EQ(salvaged->saved.size(), 1u);
  EXPECT_THAT(salvaged->notes, ElementsAre(HasSubstr("run aa: its states are lost: node ")));
  EXPECT_EQ(chain_of(saved, "aa"), "holds");
}

TEST_F(StoredStates, AnOlderDatabaseHasNoneAndTakesThem) {
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const auto steps = schema_steps();
    const auto with_states = std::find_if(steps.begin(), steps.end(), [](std::string_view step) {
      return step.find("CREATE TABLE state ") != step.npos;
    });
    ASSERT_NE(with_states, steps.end());
    apply_steps(old, steps.first(static_cast<std::size_t>(with_states - steps.begin())));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, environment) "
        "VALUES ('aa', '', '', '', '{}', '{}')");
  }
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  EXPECT_THAT(*open(Store::Mode::kReadOnly).nodes(), IsEmpty());
  const Chain chain(2);
  ASSERT_TRUE(open().add_trajectories("aa", chain.all, chain.blobs).ok());
  EXPECT_EQ(open(Store::Mode::kReadOnly).trajectories("aa")->nodes, chain.all.nodes);
}

}  // namespace
}  // namespace kbench
