// Databases that somebody made to act while they are read or written, to keep a reader busy, or to
// hold what no row of ours can say. Each is made here with SQLite itself, and must be refused in
// words, without a crash and without a hang.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/file/migrations.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = Store::Mode;

class HostileDatabase : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Store> store = Store::open(file_, Mode::kReadWrite);
    ASSERT_TRUE(store.ok()) << store.error().message;
    ASSERT_TRUE(store->begin_run(make_run("r1")).ok());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store->add(make_evaluation("r1", i, 6)).ok());
  }

  void tamper(const std::string& sql) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    raw.exec(sql);
  }

  // The schema's text is changed behind SQLite's back, as a hexadecimal editor would.
  void rewrite_schema(const std::string& set) {
    tamper("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET " + set);
  }

  // A column keeps its strict type for who writes through SQLite only: this takes the word out of
  // the schema's text, writes, and puts it back.
  void rewrite_loosely(const std::string& sql) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    const int version = raw.execAndGet("PRAGMA schema_version").getInt();
    const auto reread_schema = [&](int bump) {
      raw.exec("PRAGMA schema_version = " + std::to_string(version + bump));
      raw.exec("PRAGMA writable_schema = RESET");
    };
    raw.exec(
        "PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT name, sql FROM "
        "main.sqlite_schema; UPDATE main.sqlite_schema SET sql = "
        "replace(replace(sql, ') STRICT, ', ') '), ') STRICT', ')')");
    reread_schema(1);
    raw.exec("PRAGMA ignore_check_constraints = ON");
    raw.exec(sql);
    raw.exec(
        "PRAGMA writable_schema = ON; UPDATE main.sqlite_schema AS s SET sql = "
        "(SELECT sql FROM kept WHERE name = s.name)");
    reread_schema(2);
  }

  Error open_error(Mode mode) {
    const Result<Store> store = Store::open(file_, mode);
    return store ? Error{ErrorCode::kInfrastructure, "it opened", ""} : store.error();
  }

  void expect_refused(const std::string& what) {
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      const Error error = open_error(mode);
      EXPECT_EQ(error.code, ErrorCode::kBadInput);
      EXPECT_THAT(error.message, AllOf(HasSubstr(file_.string()), HasSubstr(what)));
      EXPECT_FALSE(error.hint.empty());
    }
  }

  // Expects that the file opens, and that reading the run says what is wrong.
  void expect_damaged(const std::string& what) {
    const Result<Store> store = Store::open(file_, Mode::kReadOnly);
    ASSERT_TRUE(store.ok()) << store.error().message;
    const auto rows = store->evaluations("r1");
    ASSERT_FALSE(rows.ok()) << "it was read: " << what;
    EXPECT_EQ(rows.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(rows.error().message, AllOf(HasSubstr("damaged"), HasSubstr(what)));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

// --- programs in the schema ---

TEST_F(HostileDatabase, ATriggerOnInsertIsRefused) {
  tamper(
      "CREATE TRIGGER mend AFTER INSERT ON evaluation BEGIN "
      "UPDATE evaluation SET state = 'ok', correct = 1 WHERE number = new.number; END");
  expect_refused("it holds the trigger \"mend\"");
}

TEST_F(HostileDatabase, ATriggerOnUpdateIsRefused) {
  tamper(
      "CREATE TRIGGER finish AFTER UPDATE ON run BEGIN "
      "UPDATE evaluation SET state = 'ok' WHERE run_id = new.id; END");
  expect_refused("it holds the trigger \"finish\"");
}

TEST_F(HostileDatabase, ATriggerMadeWhileItIsOpenDoesNotRun) {
  Result<Store> store = Store::open(file_, Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  tamper(
      "CREATE TRIGGER mend AFTER INSERT ON evaluation BEGIN "
      "UPDATE evaluation SET message = 'mended' WHERE number = new.number; END");
  ASSERT_TRUE(store->add(make_evaluation("r1", 9, 6)).ok());
  const auto rows = store->evaluations("r1");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows->back().message, make_evaluation("r1", 9).message);
}

TEST_F(HostileDatabase, AViewInPlaceOfATableIsRefused) {
  tamper(
      "ALTER TABLE lint RENAME TO hidden;"
      "CREATE VIEW lint AS SELECT * FROM hidden");
  expect_refused("it holds the table \"hidden\"");
  tamper("DROP VIEW lint; DROP TABLE hidden; CREATE VIEW lint AS SELECT 1");
  expect_refused("it holds the view \"lint\"");
}

TEST_F(HostileDatabase, AnEndlessViewDoesNotHangAnybody) {
  tamper(
      "DROP TABLE lint;"
      "CREATE VIEW lint AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT 'a' AS task_hash, 'small' AS size, 'cpu' AS device, 't' AS task, 'passed' AS state, "
      "i AS mutants, i AS rejected, '[]' AS findings, '' AS version, '' AS checked_at FROM n");
  expect_refused("it holds the view \"lint\"");
}

TEST_F(HostileDatabase, AnIndexWithAnExpressionIsRefused) {
  tamper("CREATE INDEX slow ON evaluation (upper(task))");
  expect_refused("it holds the index \"slow\"");
}

TEST_F(HostileDatabase, AnIndexOfOurNameWithAConditionIsRefused) {
  tamper(
      "DROP INDEX evaluation_by_task;"
      "CREATE INDEX evaluation_by_task ON evaluation (task, size, device) WHERE state = 'ok'");
  expect_refused("its index \"evaluation_by_task\" is not as kbench makes it");
}

TEST_F(HostileDatabase, AGeneratedColumnIsRefused) {
  tamper(
      "ALTER TABLE evaluation DROP COLUMN labels;"
      "ALTER TABLE evaluation ADD COLUMN labels TEXT AS (upper(state))");
  expect_refused("its table \"evaluation\" is not as kbench makes it");
}

TEST_F(HostileDatabase, AnAdditionalColumnIsRefused) {
  tamper("ALTER TABLE sample ADD COLUMN more TEXT");
  expect_refused("its table \"sample\" is not as kbench makes it");
}

TEST_F(HostileDatabase, AnAdditionalOrVirtualTableIsRefused) {
  tamper("CREATE TABLE more (a)");
  expect_refused("it holds the table \"more\"");
  tamper("DROP TABLE more; CREATE VIRTUAL TABLE words USING fts5(text)");
  expect_refused("which kbench never made");
}

TEST_F(HostileDatabase, AMissingTableIsNamed) {
  tamper("DROP TABLE sample");
  expect_refused("it lacks the table \"sample\"");
}

TEST_F(HostileDatabase, TwoTablesOnOnePageAreRefused) {
  rewrite_schema(
      "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'run') WHERE name = "
      "'evaluation'");
  expect_refused("two of its tables share their pages");
}

TEST_F(HostileDatabase, ASchemaThatClaimsAnotherVersionIsCompared) {
  // The message names any one object of a later step.
  tamper("PRAGMA user_version = 1");
  expect_refused("it holds the index \"");
  expect_refused("\", which kbench never made");
  tamper("PRAGMA user_version = -1");
  expect_refused("kbench never made");
}

TEST_F(HostileDatabase, FilesOfOlderVersionsStillOpen) {
  for (std::size_t version = 1; version < schema_steps().size(); ++version) {
    std::filesystem::remove(file_);
    {
      SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      apply_steps(old, schema_steps().first(version));
      old.exec(
          "INSERT INTO run (id, started_at, finished_at, command_line, configuration, "
          "environment) VALUES ('old', '', '', '', '{}', '{}')");
    }
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      const Result<Store> store = Store::open(file_, mode);
      ASSERT_TRUE(store.ok()) << store.error().message;
      EXPECT_TRUE(store->find_run("old")->has_value());
    }
  }
}

// --- values that no row of ours has ---

TEST_F(HostileDatabase, ValuesOfAnotherTypeAreDamage) {
  for (const auto& [set, what] : std::vector<std::pair<std::string, std::string>>{
           {"evaluation SET message = x'00ff'", "message holds something that is no text"},
           {"evaluation SET level = 'one'", "level holds something that is no whole number"},
           {"evaluation SET wall_seconds = 'long'", "wall_seconds holds something"},
           {"evaluation SET correct = 7", "correct is 7, not yes or no"},
           {"sample SET time_ns = 'soon'", "time_ns holds something that is no whole number"},
           {"sample SET side = 9", "side is 9, which is no side"},
           {"check_draw SET max_error = x'7ff8000000000000'", "max_error holds something"}}) {
    SCOPED_TRACE(set);
    const std::string before = folder_ / "copy.sqlite";
    std::filesystem::copy_file(file_, before, std::filesystem::copy_options::overwrite_existing);
    rewrite_loosely("UPDATE " + set);
    expect_damaged(what);
    std::filesystem::copy_file(before, file_, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(HostileDatabase, ImpossibleCountsAndNamesAreDamage) {
  for (const auto& [set, what] : std::vector<std::pair<std::string, std::string>>{
           {"evaluation SET repeats = -1", "repeats is -1, which no count can be"},
           {"evaluation SET level = 99999999999", "level is 99999999999, which no count can be"},
           {"evaluation SET wall_seconds = -1.5", "wall_seconds is negative"},
           {"evaluation SET build_seconds = -1.5", "build_seconds is negative"},
           {"evaluation SET limit_ns = -1.5", "limit_ns is negative"},
           {"evaluation SET unfused_limit_ns = -1.5", "unfused_limit_ns is negative"},
           {"evaluation SET correct = 0", "correct is no, of a row that is ok"},
           {"evaluation SET state = 'better'", "state is the unknown \"better\""},
           {"evaluation SET device = 'abacus'", "device is the unknown \"abacus\""},
           {"sample SET calls = 0", "calls is 0"},
           {"sample SET time_ns = -5", "time_ns is -5, a negative time"}}) {
    SCOPED_TRACE(set);
    const std::string before = folder_ / "copy.sqlite";
    std::filesystem::copy_file(file_, before, std::filesystem::copy_options::overwrite_existing);
    tamper("UPDATE " + set);
    expect_damaged(what);
    std::filesystem::copy_file(before, file_, std::filesystem::copy_options::overwrite_existing);
  }
}

// A run's id stands in tables and closing lines.
TEST_F(HostileDatabase, AnIdThatIsNoneIsDamage) {
  for (const char* id : {"char(27) || ']0;x' || char(7)", "''", "'a b'", "printf('%.65c', 'a')"}) {
    SCOPED_TRACE(id);
    tamper(std::string("UPDATE run SET id = ") + id);
    const Result<Store> store = Store::open(file_, Mode::kReadOnly);
    ASSERT_TRUE(store.ok());
    const auto runs = store->runs();
    ASSERT_FALSE(runs.ok());
    EXPECT_EQ(runs.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(runs.error().message, HasSubstr("id is no run's id"));
  }
}

TEST_F(HostileDatabase, AValueTooLongForAnyRowIsRefused) {
  tamper("UPDATE evaluation SET message = printf('%.*c', 100000000, 'x') WHERE number = 1");
  const Result<Store> store = Store::open(file_, Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  const auto rows = store->evaluations("r1");
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(rows.error().message, HasSubstr("larger than kbench ever stores"));
}

TEST_F(HostileDatabase, JsonThatWouldExhaustTheStackIsDamage) {
  tamper(
      "UPDATE run SET environment = '{\"a\":' || replace(printf('%.*c', 1000000, 'x'), 'x', '[')");
  const Result<Store> store = Store::open(file_, Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  const auto runs = store->runs();
  ASSERT_FALSE(runs.ok());
  EXPECT_THAT(runs.error().message, HasSubstr("environment nests too deeply"));
}

// --- pages that lead in circles ---

// Makes every child of the table's root page lead to the root's first child: rows without end for
// whoever follows, in a file of a few pages. Two levels of that are 400 times 400 times as much.
TEST_F(HostileDatabase, PagesThatAreReadOverAndOverEnd) {
  {
    Result<Store> store = Store::open(file_, Mode::kReadWrite);
    ASSERT_TRUE(store.ok());
    for (int i = 100; i < 500; ++i) {
      kbench::Run run = make_run("many-" + std::to_string(i));
      run.command_line = std::string(3000, 'x');
      ASSERT_TRUE(store->begin_run(run).ok());
    }
  }
  SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
  const int root = raw.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'run'").getInt();
  raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
  const auto page_at = [](int page) { return static_cast<std::streamoff>(page - 1) * 4096; };
  std::string page(4096, '\0');
  stream.seekg(page_at(root));
  stream.read(page.data(), 4096);
  ASSERT_EQ(page[0], 5) << "the table is too small to have an interior page";
  const int cells =
      (static_cast<unsigned char>(page[3]) << 8) | static_cast<unsigned char>(page[4]);
  ASSERT_GT(cells, 100);
  // A chain of three copies of the root, each of whose children is the next one; the last keeps its
  // leaves. That is cells³ leaves.
  const auto end = static_cast<int>(std::filesystem::file_size(file_) / 4096);
  const auto pointing_to = [&](int target) {
    std::string copy = page;
    const auto put = [&](std::size_t at) {
      for (int byte = 0; byte < 4; ++byte)
        copy[at + static_cast<std::size_t>(byte)] =
            static_cast<char>(target >> (24 - 8 * byte) & 0xff);
    };
    put(8);  // the rightmost child
    for (int cell = 0; cell < cells; ++cell) {
      const auto slot = static_cast<std::size_t>(12 + 2 * cell);
      put(static_cast<std::size_t>((static_cast<unsigned char>(copy[slot]) << 8) |
                                   static_cast<unsigned char>(copy[slot + 1])));
    }
    return copy;
  };
  stream.seekp(page_at(end + 1));
  stream << page << pointing_to(end + 1);
  stream.seekp(page_at(root));
  stream << pointing_to(end + 2);
  // The header's count of pages.
  const int pages = end + 2;
  stream.seekp(28);
  for (int byte = 0; byte < 4; ++byte)
    stream.put(static_cast<char>(pages >> (24 - 8 * byte) & 0xff));
  stream.close();

  const Result<Store> store = Store::open(file_, Mode::kReadOnly);
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto runs = store->runs();
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().code, ErrorCode::kBadInput);
}

// A hot journal that names a victim: SQLite rolls it back and removes the file that it names.
TEST_F(HostileDatabase, AJournalThatNamesAnotherFileIsRefused) {
  const std::string victim = folder_.path() / "victim";
  std::ofstream(victim) << "mine";
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  std::uint32_t sum = 0;
  for (const char c : victim) sum += static_cast<std::uint32_t>(c);
  std::ofstream journal(file_.string() + "-journal", std::ios::binary);
  journal << std::string(512, '\1') << std::string(512, '\0') << number(0x40000000 / 4096 + 1)
          << victim << number(static_cast<std::uint32_t>(victim.size())) << number(sum)
          << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  journal.close();
  for (const Mode mode : {Mode::kReadWrite, Mode::kReadOnly}) {
    const auto store = Store::open(file_, mode);
    ASSERT_FALSE(store.ok());
    EXPECT_THAT(store.error().message, HasSubstr("names another file"));
    EXPECT_TRUE(std::filesystem::exists(victim));
  }
}

// --- what is no file ---

TEST_F(HostileDatabase, WhatIsNoOrdinaryFileIsNamed) {
  const auto expect_named = [](const std::filesystem::path& file, const std::string& what) {
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      const Result<Store> store = Store::open(file, mode);
      ASSERT_FALSE(store.ok()) << file;
      EXPECT_EQ(store.error().code, ErrorCode::kUsage);
      EXPECT_THAT(store.error().message, HasSubstr(what));
      EXPECT_THAT(store.error().hint, HasSubstr("--db"));
    }
  };
  std::filesystem::create_symlink("kbench.sqlite", folder_ / "link");
  expect_named(folder_ / "link", "a symbolic link");
  std::filesystem::create_symlink("nowhere", folder_ / "dangling");
  expect_named(folder_ / "dangling", "a symbolic link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_named(folder_ / "pipe", "a pipe");
  expect_named(folder_.path(), "a folder");
  expect_named("/dev/null", "a device");
  expect_named(file_.string() + "-wal", "side file of SQLite");
  std::filesystem::create_symlink("/etc/passwd", file_.string() + "-journal");
  expect_named(file_, "kbench.sqlite-journal is a symbolic link");
}

}  // namespace
}  // namespace kbench
