#include "runner/store/care/database_check.hpp"

#include <gmock/gmock.h>

#include "runner/store/file/migrations.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/damaged_source_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using test::kPage;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DatabaseCheckTest : public DatabaseTest {
 protected:
  DatabaseCheck check(const CheckRequest& request = {.key = test::test_key(), .progress = {}}) {
    auto check = check_database(file_, request);
    EXPECT_TRUE(check.ok()) << check.error().message;
    return check ? std::move(*check) : DatabaseCheck{};
  }

  // The finding about the only run that is not sound.
  std::string wrong_with(const std::string& run_id) {
    const DatabaseCheck found = check();
    EXPECT_FALSE(found.sound());
    for (const CheckedRun& run : found.runs) {
      if (run.run.id == run_id) return run.wrong.empty() ? "nothing" : run.wrong.front();
      EXPECT_THAT(run.wrong, IsEmpty()) << run.run.id;
    }
    return "no such run";
  }
};

TEST_F(DatabaseCheckTest, ASoundOneIsAndSaysSoOfEachRun) {
  add({.id = "aa", .started_at = "2026-11-20T13:00:00Z"});
  add({.id = "bb", .rows = 5, .chained = false});
  const DatabaseCheck found = check();
  EXPECT_TRUE(found.sound());
  EXPECT_EQ(found.schema, schema_steps().size());
  EXPECT_EQ(found.newest_schema, schema_steps().size());
  EXPECT_GT(found.bytes, 0U);
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].run.id, "bb");
  EXPECT_EQ(found.runs[0].rows, 5);
  EXPECT_EQ(to_string(found.runs[0].chain.state), "unchained");
  EXPECT_EQ(to_string(found.runs[1].chain.state), "holds");
}

TEST_F(DatabaseCheckTest, WithoutTheKeyAChainIsUncheckedAndThatIsNotWrong) {
  add({.id = "aa"});
  const DatabaseCheck found = check({.key = {}, .progress = {}});
  EXPECT_TRUE(found.sound());
  EXPECT_EQ(to_string(found.runs.at(0).chain.state), "unchecked");
}

TEST_F(DatabaseCheckTest, AChangedChainIsWrongAndOnlyThatRun) {
  add({.id = "aa"});
  add({.id = "bb"});
  tamper("UPDATE evaluation SET state = 'wrong_result' WHERE number = 2");
  EXPECT_THAT(wrong_with("aa"), HasSubstr("row 2"));
}

TEST_F(DatabaseCheckTest, FindingsOfANightThatAreNoListAreWrong) {
  add({.id = "aa"});
  add({.id = "bb"});
  auto store = Store::open(file_, Store::Mode::kReadWrite);
  ASSERT_TRUE(store->put_night("aa", "[]").ok());
  EXPECT_TRUE(check().sound());
  ASSERT_TRUE(store->put_night("bb", "{").ok());
  EXPECT_EQ(wrong_with("bb"), "a night's findings are malformed");
}

TEST_F(DatabaseCheckTest, AValueThatNoRowCanHaveIsWrong) {
  add({.id = "aa"});
  add({.id = "bb"});
  tamper("UPDATE sample SET calls = 0 WHERE evaluation = 5 AND position = 3");
  EXPECT_THAT(wrong_with("bb"), HasSubstr("calls is 0"));
}

TEST_F(DatabaseCheckTest, WhatLintCannotHaveFoundIsWrong) {
  add({.id = "aa"});
  ASSERT_TRUE(Store::open(file_, Store::Mode::kReadWrite)->put(LintRecord{.task_hash = "aa11"}));
  EXPECT_TRUE(check().sound());
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("UPDATE lint SET state = 'flawed'");
  EXPECT_THAT(check().wrong, Contains(HasSubstr("its state is unknown")));
}

TEST_F(DatabaseCheckTest, AFlippedBitInWhatLintFoundIsWrong) {
  add({.id = "aa"});
  {
    auto store = Store::open(file_, Store::Mode::kReadWrite);
    store->use(test::test_key());
    ASSERT_TRUE(store->put(LintRecord{.task = "level1/1", .task_hash = "aa11", .mutants = 8}));
  }
  EXPECT_TRUE(check().sound());
  EXPECT_EQ(check().unvouched_lint, 0u);
  SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
  raw.exec("UPDATE lint SET mutants = 9");  // 1000 and 1001
  const DatabaseCheck found = check();
  EXPECT_FALSE(found.sound());
  EXPECT_THAT(found.wrong, Contains(HasSubstr("level1/1 (, ): it was changed after")));
  EXPECT_TRUE(check({.key = {}, .progress = {}}).sound()) << "without the key nobody can tell";
}

// As in a database from before there were seals.
TEST_F(DatabaseCheckTest, ARecordOfLintWithoutASealIsCountedAndNotWrong) {
  add({.id = "aa"});
  ASSERT_TRUE(Store::open(file_, Store::Mode::kReadWrite)->put(LintRecord{.task_hash = "aa11"}));
  EXPECT_TRUE(check().sound());
  EXPECT_EQ(check().lint, 1u);
  EXPECT_EQ(check().unvouched_lint, 1u);
}

TEST_F(DatabaseCheckTest, AMissingSampleOfAnUnchainedRunIsWrong) {
  add({.id = "aa", .chained = false});
  tamper("DELETE FROM sample WHERE evaluation = 2 AND position = 3");
  EXPECT_THAT(wrong_with("aa"), HasSubstr("row 2 (level1/019_relu)"));
}

// The positions go on from one table to the other.
TEST_F(DatabaseCheckTest, AMissingSampleOfAVendorIsWrong) {
  add({.id = "aa", .chained = false});
  tamper("DELETE FROM vendor_sample WHERE evaluation = 2 AND position = 4");
  EXPECT_THAT(wrong_with("aa"), HasSubstr("row 2 (level1/019_relu)"));
}

TEST_F(DatabaseCheckTest, ASampleOfNoAttemptIsWrong) {
  add({.id = "aa", .chained = false});
  tamper("UPDATE sample SET attempt = 9 WHERE evaluation = 1 AND position = 2");
  EXPECT_THAT(wrong_with("aa"), HasSubstr("a sample of an attempt that is not there"));
}

TEST_F(DatabaseCheckTest, RowsWithoutARunAreWrong) {
  add({.id = "aa"});
  add({.id = "bb"});
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = 'aa'");
  EXPECT_THAT(check().wrong, Contains("3 rows of \"evaluation\" belong to no row of \"run\""));
}

TEST_F(DatabaseCheckTest, AnIndexThatLacksARowIsWrongUnlessItIsQuick) {
  add({.id = "aa"});
  // A row changes while the schema does not know the index.
  std::string entry;
  {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READONLY);
    entry = raw.execAndGet(
                   "SELECT rootpage || ', ' || quote(sql) FROM sqlite_schema WHERE name = "
                   "'evaluation_by_task'")
                .getString();
  }
  tamper(
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'evaluation_by_task'");
  tamper("UPDATE evaluation SET task = 'level2/001_other' WHERE number = 1");
  tamper(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('index', "
      "'evaluation_by_task', 'evaluation', " +
      entry + ")");
  EXPECT_THAT(check({.key = {}, .progress = {}}).wrong,
              Contains(HasSubstr("missing from index evaluation_by_task")));
  EXPECT_THAT(check({.key = {}, .quick = true, .progress = {}}).wrong, IsEmpty());
}

TEST_F(DatabaseCheckTest, DamagedPagesAreFoundAndTheOtherRunIsStillChecked) {
  add({.id = "aa", .samples = 300});
  add({.id = "bb", .samples = 300});
  checkpoint();
  // The last page is of what was written last.
  const auto size = std::filesystem::file_size(file_);
  test::overwrite(file_, size - kPage, std::string(kPage, '\0'));
  const DatabaseCheck found = check();
  EXPECT_FALSE(found.sound());
  EXPECT_FALSE(found.wrong.empty());
  ASSERT_EQ(found.runs.size(), 2U);
}

TEST_F(DatabaseCheckTest, AForeignSchemaIsWrong) {
  add({.id = "aa"});
  tamper("CREATE TABLE mine (x)");
  EXPECT_THAT(check().wrong, Contains(HasSubstr("the table \"mine\", which kbench never made")));
}

TEST_F(DatabaseCheckTest, AnOlderSchemaIsSound) {
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(4));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, "
        "environment) VALUES ('aa', '2026-11-21T13:00:00Z', '', 'x', '{}', '{}')");
  }
  const DatabaseCheck found = check();
  EXPECT_TRUE(found.sound());
  EXPECT_EQ(found.schema, 4U);
  EXPECT_EQ(found.runs.size(), 1U);
}

TEST_F(DatabaseCheckTest, WhatIsNoDatabaseIsWrongAndNothingIsAnError) {
  const auto none = check_database(file_, {.key = {}, .progress = {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  std::ofstream(file_) << std::string(2 * kPage, 'x');
  EXPECT_THAT(check().wrong, Contains(HasSubstr("not a database")));
}

TEST_F(DatabaseCheckTest, ADamagedSourceIsWrongAndTheRowsThatNeedItAreNamed) {
  test::add_run_with_sources(file_, "aa");
  test::add_run_with_sources(file_, "bb");
  EXPECT_TRUE(check().sound());
  test::flip_a_bit(file_, test::source_text("aa", 1));
  EXPECT_THAT(wrong_with("aa"), HasSubstr("src/019_relu.cpp of level1/019_relu is damaged: blob " +
                                          sha256(test::source_text("aa", 1)).substr(0, 12)));
  const CheckRequest pages_alone = {.key = {}, .quick = true, .runs = false, .progress = {}};
  EXPECT_THAT(check(pages_alone).wrong, Contains(HasSubstr(test::kIsAnother)));
}

TEST_F(DatabaseCheckTest, ADamagedSourceOfATaskIsWrongForEachRunOfIt) {
  test::add_run_with_sources(file_, "aa");
  test::add_run_with_sources(file_, "bb");
  test::flip_a_bit(file_, test::kTaskText);
  for (const CheckedRun& run : check().runs)
    EXPECT_THAT(run.wrong, Contains(HasSubstr("the source of level1/019_relu is damaged")));
}

TEST_F(DatabaseCheckTest, AMissingSourceOfATaskIsWrong) {
  test::add_run_with_sources(file_, "aa");
  tamper("DELETE FROM blob WHERE hash = '" + sha256(test::kTaskText) + "'");
  EXPECT_THAT(wrong_with("aa"), HasSubstr("is missing"));
}

// SQLite fills up what is missing of the last page with zeros.
TEST_F(DatabaseCheckTest, AFileCutByOneByteIsWrong) {
  add({.id = "aa"});
  checkpoint();
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 1);
  EXPECT_THAT(check().wrong, Contains(HasSubstr("its end is cut off")));
}

TEST_F(DatabaseCheckTest, TagsThatNobodyCanGiveAreWrong) {
  add({.id = "aa"});
  tamper(
      "INSERT INTO tag VALUES ('fine', 'aa', ''), ('latest', 'aa', ''), ('abcdef12', 'aa', ''), "
      "(char(27) || '[31m', 'aa', '')");
  const std::vector<std::string> wrong = check().wrong;
  EXPECT_EQ(wrong.size(), 3U);
  EXPECT_THAT(wrong, Contains(HasSubstr("the tag of run aa: \"latest\" cannot be a tag")));
  EXPECT_THAT(wrong, Contains(HasSubstr("start of a run's id")));
  EXPECT_THAT(wrong, Contains(HasSubstr("has a character that no tag may have")));
}

}  // namespace
}  // namespace kbench
