// Rows of a run that somebody changed after they were stored: each kind of change is made here with
// SQLite itself, and must be told from rows as they were stored.
#include "runner/store/chain/chain.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/migrations.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::start_child;
using test::TemporaryFolder;
using test::wait_for;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Chain = ChainFinding::State;
using Mode = Store::Mode;

const ChainKey kKey = chain_key_of(std::string(32, 'k'));
const ChainKey kOther = chain_key_of(std::string(32, 'o'));

Store open_with(const std::filesystem::path& file, const ChainKey& key) {
  Result<Store> store = Store::open(file, Mode::kReadWrite);
  if (!store) throw std::runtime_error(store.error().message);
  store->use(key);
  return std::move(*store);
}

class ChainTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 4;

  void SetUp() override {
    Store store = open_with(file_, kKey);
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
    for (int i = 0; i < kRows; ++i) ASSERT_TRUE(store.add(make_evaluation("r1", i, 6)).ok());
  }

  void tamper(const std::string& sql) {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  ChainFinding finding(const ChainKey& key = kKey) {
    const Store store = open_with(file_, key);
    const auto stored = store.read("r1");
    return stored ? stored->chain : ChainFinding{Chain::kUnchained, stored.error().message};
  }

  void expect_changed(const std::string& where) {
    const ChainFinding found = finding();
    EXPECT_EQ(to_string(found.state), "changed") << found.message;
    EXPECT_THAT(found.message, HasSubstr(where));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

TEST_F(ChainTest, RowsAsTheyWereStoredHold) {
  EXPECT_EQ(finding().state, Chain::kHolds);
  Store store = open_with(file_, kKey);
  ASSERT_TRUE(store.finish_run("r1", "2026-11-21T14:00:00Z").ok());
  EXPECT_EQ(finding().state, Chain::kHolds);
}

TEST_F(ChainTest, ValuesThatTheDatabaseKeepsDifferentlyHold) {
  Store store = open_with(file_, kKey);
  Evaluation odd = make_evaluation("r1", 50, 6);
  odd.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  odd.floor_ns = std::numeric_limits<double>::quiet_NaN();
  odd.checks[0].max_error = -0.0;
  odd.checks[1].max_error = std::numeric_limits<double>::infinity();
  odd.message = std::string("\xff\xfe\0 not UTF-8", 12);
  ASSERT_TRUE(store.add(odd).ok());
  Evaluation bare;
  bare.run_id = "r1";
  ASSERT_TRUE(store.add(bare).ok());
  EXPECT_EQ(finding().state, Chain::kHolds) << finding().message;
}

TEST_F(ChainTest, AddingAgainBreaksNothing) {
  Store store = open_with(file_, kKey);
  ASSERT_TRUE(store.add(make_evaluation("r1", 2, 6)).ok());
  EXPECT_EQ(finding().state, Chain::kHolds);
}

TEST_F(ChainTest, AChangedRowIsNamed) {
  tamper("UPDATE evaluation SET state = 'wrong_result' WHERE number = 2");
  expect_changed("row 2 (level1/019_relu of example)");
}

TEST_F(ChainTest, AChangedSampleBelongsToItsRow) {
  tamper("UPDATE sample SET time_ns = time_ns / 2 WHERE evaluation = 3 AND side = 2");
  expect_changed("row 3");
}

TEST_F(ChainTest, AChangedCheckBelongsToItsRow) {
  tamper("UPDATE check_draw SET passed = 1 WHERE evaluation = 4");
  expect_changed("row 4");
}

TEST_F(ChainTest, ARemovedSampleBelongsToItsRow) {
  tamper("DELETE FROM sample WHERE evaluation = 1 AND position = 5");
  expect_changed("row 1");
}

using Columns = std::vector<std::pair<std::string, std::string>>;  // and their types

// But for what says where a row stands. A tree that is not there is damage before it is a change.
Columns columns_of(const std::filesystem::path& file, const std::string& table) {
  const std::set<std::string> spared{"number", "position", "evaluation",
                                     "run_id", "chain",    "tree_hash"};
  const SQLite::Database database(file.string());
  SQLite::Statement info(database, fmt::format("PRAGMA table_info({})", table));
  Columns columns;
  while (info.executeStep())
    if (const std::string name = info.getColumn(1).getString(); !spared.contains(name))
      columns.emplace_back(name, info.getColumn(2).getString());
  return columns;
}

// In SQL. One that can still be read, so that nothing but the chain can tell.
std::string another_value(const std::string& column, const std::string& type) {
  const std::map<std::string, std::string> known{
      {"state", "'crash'"}, {"device", "'cuda'"}, {"correct", "NULL"}, {"calls", "calls + 1"}};
  if (const auto found = known.find(column); found != known.end()) return found->second;
  if (type == "TEXT") return fmt::format("coalesce({}, '') || 'x'", column);
  return fmt::format("CASE WHEN coalesce({}, 0) = 0 THEN 1 ELSE 0 END", column);
}

// Every column that a report reads of a row is in the row's link.
TEST_F(ChainTest, AChangeInAnyColumnOfARowIsNoticed) {
  std::size_t changed = 0;
  for (const std::string table :
       {"evaluation", "check_draw", "sample", "vendor_sample", "attempt", "block"}) {
    const std::string key = table == "evaluation" ? "number" : "evaluation";
    for (const auto& [column, type] : columns_of(file_, table)) {
      if (table == "vendor_sample" && column == "side") continue;  // there is one
      const std::filesystem::path whole = folder_ / "whole.sqlite";
      std::filesystem::copy_file(file_, whole);
      tamper(fmt::format("UPDATE {} SET {} = {} WHERE {} = 3", table, column,
                         another_value(column, type), key));
      const ChainFinding found = finding();
      EXPECT_EQ(found.state, Chain::kChanged) << table << '.' << column << ": " << found.message;
      std::filesystem::rename(whole, file_);
      ++changed;
    }
  }
  EXPECT_GT(changed, 80U);
  EXPECT_EQ(finding().state, Chain::kHolds);
}

class LintSealTest : public ChainTest {
 protected:
  void SetUp() override {
    ChainTest::SetUp();
    Store store = open_with(file_, kKey);
    ASSERT_TRUE(store.put(record_of("level1/1", "aa11")).ok());
    ASSERT_TRUE(store.put(record_of("level1/2", "bb22")).ok());
  }

  static LintRecord record_of(const std::string& task, const std::string& hash) {
    return {.task = task,
            .task_hash = hash,
            .size = "small",
            .device = "cpu",
            .state = LintState::kFailed,
            .mutants = 9,
            .rejected = 8,
            .findings = {{.kind = "zeros", .subject = "y", .message = "zeros pass"}},
            .version = "1",
            .checked_at = "2026-11-21T13:00:00Z"};
  }

  LintRows lint(const ChainKey& key = kKey) {
    auto rows = open_with(file_, key).lint_records();
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return rows ? std::move(*rows) : LintRows{};
  }
};

TEST_F(LintSealTest, RecordsAsTheyWereKeptAreVouchedFor) {
  const LintRows kept = lint();
  EXPECT_THAT(kept.malformed, ::testing::IsEmpty());
  ASSERT_EQ(kept.records.size(), 2u);
  for (const LintRecord& record : kept.records) EXPECT_FALSE(record.unvouched) << record.task;
}

TEST_F(LintSealTest, AChangeInAnyColumnOfARecordIsNoticed) {
  const std::map<std::string, std::string> readable{
      {"state", "'passed'"}, {"findings", "'[]'"}, {"mutants", "10"}, {"rejected", "9"}};
  const Columns columns = columns_of(file_, "lint");
  ASSERT_GE(columns.size(), 12u);
  for (const auto& [column, type] : columns) {
    if (column == "chain_key") continue;  // of that, below
    const std::filesystem::path whole = folder_ / "whole.sqlite";
    std::filesystem::copy_file(file_, whole);
    const auto known = readable.find(column);
    tamper(fmt::format("UPDATE lint SET {} = {} WHERE task_hash = 'aa11'", column,
                       known == readable.end() ? column + " || 'x'" : known->second));
    const LintRows found = lint();
    EXPECT_THAT(found.malformed, ElementsAre(HasSubstr("was changed after it was stored")))
        << column;
    ASSERT_EQ(found.records.size(), 1u) << column;
    EXPECT_EQ(found.records[0].task, "level1/2");
    std::filesystem::rename(whole, file_);
  }
}

TEST_F(LintSealTest, WhoeverTakesTheSealAwayTakesItsWord) {
  for (const char* key : {"", "of somebody else"}) {
    tamper(
        fmt::format("UPDATE lint SET chain_key = '{}', state = 'passed' WHERE "
                    "task_hash = 'aa11'",
                    key));
    const LintRows found = lint();
    ASSERT_EQ(found.records.size(), 2u);
    EXPECT_TRUE(found.records[0].unvouched);
    EXPECT_FALSE(found.records[1].unvouched);
  }
}

TEST_F(LintSealTest, ARecordOfAnotherKeyIsVouchedForOnceItIsKeptAnew) {
  for (const LintRecord& record : lint(kOther).records) EXPECT_TRUE(record.unvouched);
  ASSERT_TRUE(open_with(file_, kOther).put(record_of("level1/1", "aa11")).ok());
  EXPECT_FALSE(lint(kOther).records.at(0).unvouched);
  EXPECT_TRUE(lint().records.at(0).unvouched);
}

TEST_F(LintSealTest, WithoutAKeyNobodyIsAsked) {
  const auto store = Store::open(file_, Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  for (const LintRecord& record : store->lint_records()->records) EXPECT_FALSE(record.unvouched);
}

TEST_F(ChainTest, ARemovedRowIsMissed) {
  tamper(
      "DELETE FROM sample WHERE evaluation = 2; DELETE FROM check_draw WHERE evaluation = 2;"
      "DELETE FROM evaluation WHERE number = 2");
  expect_changed("row 2");
}

TEST_F(ChainTest, SwappedRowsAreNoticed) {
  tamper(
      "UPDATE evaluation SET number = 20 WHERE number = 2;"
      "UPDATE sample SET evaluation = 20 WHERE evaluation = 2;"
      "UPDATE check_draw SET evaluation = 20 WHERE evaluation = 2");
  expect_changed("row 2");
}

TEST_F(ChainTest, ACutEndIsMissed) {
  tamper(
      "DELETE FROM sample WHERE evaluation = 4; DELETE FROM check_draw WHERE evaluation = 4;"
      "DELETE FROM evaluation WHERE number = 4");
  expect_changed("4 rows were stored, row 4 and what followed it are gone");
  tamper("UPDATE run SET chain_rows = 3");
  expect_changed("the run's own columns");
}

TEST_F(ChainTest, AnAddedRowIsNoticed) {
  tamper(
      "INSERT INTO evaluation (run_id, key, task, level, size, device, precision, worker_kind, "
      "state, message, hint, eager_reason, compiled_reason, submission_reason, task_hash, "
      "package_key, sandbox_level, seed, started_at) SELECT run_id, 'new', task, level, size, "
      "device, precision, worker_kind, 'ok', '', '', '', '', '', '', '', '', '', '' FROM "
      "evaluation WHERE number = 1");
  expect_changed("row 5");
}

TEST_F(ChainTest, AChangedRunIsNoticed) {
  tamper("UPDATE run SET environment = '{\"gpu\":\"another\"}'");
  expect_changed("environment");
}

TEST_F(ChainTest, NothingIsAddedToWhatWasChanged) {
  tamper("UPDATE run SET chain_rows = 2");
  Store store = open_with(file_, kKey);
  const Status added = store.add(make_evaluation("r1", 9, 6));
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kUsage);
  EXPECT_THAT(added.error().message, HasSubstr("was changed after it was stored"));
  EXPECT_FALSE(store.finish_run("r1", "2026-11-21T14:00:00Z").ok());
}

TEST_F(ChainTest, TheChainOfAnotherKeyCannotBeChecked) {
  EXPECT_EQ(finding(kOther).state, Chain::kUnchecked);
  Store store = open_with(file_, kOther);
  const Status added = store.add(make_evaluation("r1", 9, 6));
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("a key that is not here"));
}

TEST_F(ChainTest, AForgedChainOfAnotherKeyIsNoticed) {
  // Somebody chains the same rows with a key of theirs, and claims ours.
  std::filesystem::remove(file_);
  {
    Store store = open_with(file_, kOther);
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
    ASSERT_TRUE(store.add(make_evaluation("r1", 1, 6)).ok());
  }
  tamper("UPDATE run SET chain_key = '" + kKey.name + "'");
  expect_changed("row 1");
}

TEST_F(ChainTest, WithoutAKeyRunsAreUnchained) {
  Result<Store> store = Store::open(file_, Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->begin_run(make_run("r2")).ok());
  ASSERT_TRUE(store->add(make_evaluation("r2", 1, 6)).ok());
  EXPECT_EQ(store->read("r2")->chain.state, Chain::kUnchained);
  EXPECT_EQ(store->read("r1")->chain.state, Chain::kUnchecked);
}

TEST_F(ChainTest, RowsFromBeforeChainsAreUnchained) {
  std::filesystem::remove(file_);
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(3));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, environment) "
        "VALUES ('r1', '', '', '', '{}', '{}')");
  }
  EXPECT_EQ(finding().state, Chain::kUnchained);
  Store store = open_with(file_, kKey);
  EXPECT_TRUE(store.add(make_evaluation("r1", 1, 6)).ok());
  EXPECT_EQ(finding().state, Chain::kUnchained);
}

TEST_F(ChainTest, AKillAtAnyMomentLeavesAChainThatHolds) {
  for (int round = 0; round < 6; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = start_child([&] {
      Store store = open_with(file_, kKey);
      for (int i = 0;; ++i) {
        if (!store.add(make_evaluation("r1", 1000 * round + i + 10, 200)).ok()) return 2;
        if (::write(ends[1], "+", 1) != 1) return 3;
      }
    });
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1) << "the child ended early";
    ::usleep(static_cast<useconds_t>(313 * round));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -SIGKILL);
    ::close(ends[0]);
    EXPECT_EQ(finding().state, Chain::kHolds) << finding().message;
  }
}

TEST(ChainText, RowsFromBeforeSourcesHaveTheirText) {
  Evaluation row = make_evaluation("r1", 1, 6);
  const std::string before = columns::text_of(row);
  EXPECT_EQ(before.find("tree_hash"), std::string::npos);
  EXPECT_EQ(before.find("task_source"), std::string::npos);
  row.tree_hash = std::string(64, 'a');
  row.task_source = std::string(64, 'b');
  EXPECT_EQ(columns::text_of(row).find(before.substr(0, 20)), 0u);
  EXPECT_NE(columns::text_of(row), before);
}

TEST(ChainText, RowsFromBeforePythonHaveTheirText) {
  Evaluation row = make_evaluation("r1", 1, 6);
  const std::string with = columns::text_of(row);
  row.torch_operators = row.allow_torch = "";
  row.copy_ns.reset();
  const std::string before = columns::text_of(row);
  for (const char* name : {"torch_operators", "allow_torch", "copy_ns"})
    EXPECT_EQ(before.find(name), std::string::npos) << name;
  EXPECT_NE(with, before);
}

TEST(ChainText, RowsFromBeforeBuildTimesHaveTheirText) {
  Evaluation row = make_evaluation("r1", 1, 6);
  const std::string with = columns::text_of(row);
  row.build_seconds.reset();
  const std::string before = columns::text_of(row);
  EXPECT_EQ(before.find("build_seconds"), std::string::npos);
  EXPECT_NE(with, before);
}

TEST(ChainText, RowsFromBeforeLimitsHaveTheirText) {
  Evaluation row = make_evaluation("r1", 1, 6);
  const std::string with = columns::text_of(row);
  row.limit_ns.reset();
  row.unfused_limit_ns.reset();
  row.limit_basis.clear();
  const std::string before = columns::text_of(row);
  EXPECT_EQ(before.find("limit_"), std::string::npos);
  EXPECT_NE(with, before);
}

TEST(ChainText, DiffersWhereverARecordDoes) {
  const Evaluation one = make_evaluation("r1", 1, 6);
  Evaluation other = one;
  EXPECT_EQ(columns::text_of(one), columns::text_of(other));
  // One column loses a letter, and the next one gains it.
  other.message = one.message.substr(0, one.message.size() - 1);
  other.hint = one.message.back() + one.hint;
  EXPECT_NE(columns::text_of(one), columns::text_of(other));
  other = one;
  other.submission.reset();
  EXPECT_NE(columns::text_of(one), columns::text_of(other));
}

class ChainKeyTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path state_ = folder_ / "state/kbench";
  std::filesystem::path file_ = state_ / "chain.key";
};

TEST_F(ChainKeyTest, IsMadeOnceAndForItsOwnerOnly) {
  EXPECT_EQ(read_chain_key(state_).error().code, ErrorCode::kNotFound);
  const auto first = keep_chain_key(state_);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->secret.size(), 32u);
  EXPECT_EQ(keep_chain_key(state_)->secret, first->secret);
  EXPECT_EQ(read_chain_key(state_)->name, first->name);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(state_),
                          std::filesystem::directory_iterator()),
            1);
}

TEST_F(ChainKeyTest, TwoProcessesKeepTheSameOne) {
  const pid_t child = start_child([&] { return keep_chain_key(state_).ok() ? 0 : 1; });
  const auto ours = keep_chain_key(state_);
  EXPECT_EQ(wait_for(child), 0);
  ASSERT_TRUE(ours.ok()) << ours.error().message;
  EXPECT_EQ(read_chain_key(state_)->secret, ours->secret);
}

TEST_F(ChainKeyTest, AKeyThatOthersCouldReadOrMakeIsNotUsed) {
  ASSERT_TRUE(keep_chain_key(state_).ok());
  std::filesystem::permissions(file_, std::filesystem::perms{0644});
  EXPECT_THAT(keep_chain_key(state_).error().message, HasSubstr("can be read by other users"));
  std::filesystem::remove(file_);
  std::filesystem::create_symlink("/dev/zero", file_);
  EXPECT_THAT(keep_chain_key(state_).error().message, HasSubstr("cannot be opened"));
  std::filesystem::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(keep_chain_key(state_).error().message, HasSubstr("is no ordinary file"));
  std::filesystem::remove(file_);
  std::ofstream(file_) << "short";
  std::filesystem::permissions(file_, std::filesystem::perms{0600});
  EXPECT_THAT(keep_chain_key(state_).error().message, HasSubstr("is not 32 bytes long"));
}

TEST_F(ChainKeyTest, WithoutAPlaceThereIsNone) {
  EXPECT_FALSE(keep_chain_key({}).ok());
  EXPECT_FALSE(keep_chain_key("/proc/kbench").ok());
}

// Links of rows that are stored already must go on to fit.
TEST(ChainText, AColumnFromLaterSaysNothingOfRowsFromBefore) {
  Evaluation row = make_evaluation("r", 1);
  const std::string with = columns::text_of(row);
  row.calibration.reset();
  for (Block& block : row.blocks) {
    block.clock_limits = 0;
    block.baselines_waited_ns = block.submission_waited_ns = 0;
  }
  const std::string without = columns::text_of(row);
  for (const char* name : {"calibrat", "between_runs", "clock_limits", "waited_ns"})
    EXPECT_EQ(without.find(name), std::string::npos) << name;
  EXPECT_LT(without.size(), with.size());
}

TEST(ChainText, AChangedCalibrationIsNoticed) {
  Evaluation row = make_evaluation("r", 1);
  const std::string as_stored = columns::text_of(row);
  row.calibration->between_runs /= 2;
  EXPECT_NE(columns::text_of(row), as_stored);
}

}  // namespace
}  // namespace kbench
