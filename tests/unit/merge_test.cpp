#include "runner/store/care/merge.hpp"

#include <gmock/gmock.h>

#include "runner/store/care/database_check.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/damaged_source_fixture.hpp"

namespace kbench {
namespace {

using test::add_run;
using test::DatabaseTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MergeTest : public DatabaseTest {
 protected:
  std::filesystem::path one_ = folder_ / "one.sqlite";
  std::filesystem::path two_ = folder_ / "two.sqlite";

  Merged merge(const std::vector<std::filesystem::path>& from) {
    auto merged =
        merge_databases({.into = file_, .from = from, .key = test::test_key(), .progress = {}});
    EXPECT_TRUE(merged.ok()) << merged.error().message;
    return merged ? std::move(*merged) : Merged{};
  }

  // "aa added", ...
  static std::vector<std::string> words(const Merged& merged) {
    std::vector<std::string> words;
    for (const MergedRun& run : merged.runs) {
      switch (run.state) {
        case MergedRun::State::kAdded: words.push_back(run.run.id + " added"); break;
        case MergedRun::State::kThere: words.push_back(run.run.id + " there"); break;
        case MergedRun::State::kRefused: words.push_back(run.run.id + ": " + run.why); break;
      }
    }
    return words;
  }

  bool sound() { return check_database(file_, {.key = test::test_key(), .progress = {}})->sound(); }
};

TEST_F(MergeTest, RunsOfSeveralDatabasesAreOneDatabaseAndTheirChainsHold) {
  add_run(one_, {.id = "aa", .started_at = "2026-11-20T13:00:00Z"});
  add_run(two_, {.id = "bb", .started_at = "2026-11-21T13:00:00Z"});
  add_run(two_, {.id = "cc", .started_at = "2026-11-22T13:00:00Z", .chained = false});
  EXPECT_THAT(words(merge({one_, two_})), ElementsAre("aa added", "bb added", "cc added"));
  EXPECT_THAT(ids(file_), ElementsAre("cc", "bb", "aa"));
  EXPECT_EQ(chain_of(file_, "aa"), "holds");
  EXPECT_EQ(chain_of(file_, "bb"), "holds");
  EXPECT_EQ(chain_of(file_, "cc"), "unchained");
  EXPECT_EQ(chain_of(file_, "aa", chain_key_of(std::string(32, 'x'))), "unchecked");
  EXPECT_TRUE(sound());
}

TEST_F(MergeTest, MergingAgainAddsNothing) {
  add_run(one_, {.id = "aa"});
  (void)merge({one_});
  EXPECT_THAT(words(merge({one_, one_})), ElementsAre("aa there", "aa there"));
  EXPECT_THAT(ids(file_), ElementsAre("aa"));
}

TEST_F(MergeTest, OfTwoRunsWithOneIdTheSecondIsRefusedAndTheRestIsTaken) {
  add({.id = "aa", .rows = 3});
  add_run(one_, {.id = "aa", .rows = 4});
  add_run(one_, {.id = "bb", .started_at = "2026-11-22T13:00:00Z"});
  EXPECT_THAT(words(merge({one_})), ElementsAre("aa: one has 3 rows, the other 4", "bb added"));
  EXPECT_EQ(chain_of(file_, "aa"), "holds") << "what was there is as it was";
}

TEST_F(MergeTest, EachKindOfDifferenceIsNamed) {
  add({.id = "aa"});
  const auto differing = [&](const char* name, const std::string& sql) {
    const auto other = folder_ / name;
    add_run(other, {.id = "aa"});
    SQLite::Database(other.string(), SQLite::OPEN_READWRITE).exec(sql);
    return words(merge({other})).at(0);
  };
  EXPECT_EQ(differing("a", "UPDATE sample SET time_ns = 1 WHERE evaluation = 2 AND position = 5"),
            "aa: row 2 (level1/019_relu) differs");
  EXPECT_EQ(differing("b", "UPDATE run SET finished_at = ''"),
            "aa: one is finished and the other is not");
  EXPECT_EQ(differing("c", "UPDATE run SET environment = '{}'"),
            "aa: their options, environment or dates differ");
  EXPECT_EQ(differing("d", "UPDATE evaluation SET chain = '' WHERE number = 1"),
            "aa: their chains differ");
}

TEST_F(MergeTest, WhatANightFoundComesWithItsRunAndReplacesNothing) {
  const auto found = [](const std::filesystem::path& file, const char* findings) {
    auto store = Store::open(file, Store::Mode::kReadWrite);
    ASSERT_TRUE(store->put_night("aa", findings).ok());
  };
  const auto here = [this] { return *Store::open(file_, Store::Mode::kReadOnly)->night("aa"); };
  add_run(one_, {.id = "aa"});
  add_run(two_, {.id = "aa"});
  EXPECT_THAT(words(merge({one_})), ElementsAre("aa added"));
  EXPECT_EQ(here(), "");
  found(one_, "[1]");
  const Merged told = merge({one_});
  EXPECT_THAT(words(told), ElementsAre("aa there"));
  EXPECT_THAT(told.notes, ElementsAre(HasSubstr("has the findings of a night now")));
  EXPECT_EQ(here(), "[1]");
  found(two_, "[2]");
  EXPECT_THAT(merge({two_}).notes, IsEmpty());
  EXPECT_EQ(here(), "[1]");
  std::filesystem::remove(file_);
  EXPECT_THAT(words(merge({two_})), ElementsAre("aa added"));
  EXPECT_EQ(here(), "[2]");
  EXPECT_EQ(chain_of(file_, "aa"), "holds");
}

TEST_F(MergeTest, AChangedRunStaysChanged) {
  add_run(one_, {.id = "aa"});
  SQLite::Database(one_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE evaluation SET message = 'better' WHERE number = 1");
  const Merged merged = merge({one_});
  EXPECT_EQ(to_string(merged.runs.at(0).chain.state), "changed");
  EXPECT_EQ(chain_of(file_, "aa"), "changed");
}

TEST_F(MergeTest, WhatNoRowCanHaveIsRefused) {
  add_run(one_, {.id = "aa"});
  add_run(one_, {.id = "bb", .started_at = "2026-11-22T13:00:00Z", .chained = false});
  SQLite::Database raw(one_.string(), SQLite::OPEN_READWRITE);
  raw.exec("UPDATE sample SET calls = 0 WHERE evaluation = 1");
  raw.exec("DELETE FROM sample WHERE evaluation = 5 AND position = 0");
  const auto found = words(merge({one_}));
  EXPECT_THAT(found.at(0), HasSubstr("calls is 0"));
  EXPECT_THAT(found.at(1), HasSubstr("row 2"));
  EXPECT_THAT(ids(file_), IsEmpty());
}

TEST_F(MergeTest, TagsComeAlongUnlessTheyAreTaken) {
  add({.id = "aa"});
  add_run(one_, {.id = "bb"});
  add_run(one_, {.id = "cc"});
  const auto put = [](const std::filesystem::path& file, const char* name, const char* run) {
    auto store = Store::open(file, Store::Mode::kReadWrite);
    ASSERT_TRUE(store->put(Tag{name, run, "2026-11-22T13:00:00Z"}).ok());
  };
  put(file_, "best", "aa");
  put(one_, "best", "bb");
  put(one_, "mine", "cc");
  const Merged merged = merge({one_});
  EXPECT_EQ(merged.tags, 1);
  EXPECT_THAT(merged.notes, ElementsAre(HasSubstr("the tag best")));
  const auto tags = Store::open(file_, Store::Mode::kReadOnly)->tags();
  EXPECT_EQ(tags_of("aa", *tags), std::vector<std::string>{"best"});
  EXPECT_EQ(tags_of("cc", *tags), std::vector<std::string>{"mine"});
}

TEST_F(MergeTest, NothingIsMergedWithItselfOrWithNothing) {
  add({.id = "aa"});
  const auto itself = merge_databases({.into = file_, .from = {file_}, .key = {}, .progress = {}});
  ASSERT_FALSE(itself.ok());
  EXPECT_THAT(itself.error().message, HasSubstr("into itself"));
  const auto none = merge_databases({.into = file_, .from = {one_}, .key = {}, .progress = {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
}

TEST_F(MergeTest, AFileThatIsNoDatabaseIsSaidByItsPlace) {
  const auto missing = merge_databases({.into = file_, .from = {folder_ / "none.sqlite"}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, HasSubstr("another file as FROM"));
  EXPECT_FALSE(std::filesystem::exists(file_));
  add_run(one_, {.id = "aa"});
  const auto nowhere = merge_databases({.into = folder_ / "none/b.sqlite", .from = {one_}});
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().hint, HasSubstr("another file as INTO"));
}

TEST_F(MergeTest, SourcesComeAlong) {
  test::add_run_with_sources(one_, "aa");
  EXPECT_THAT(words(merge({one_})), ElementsAre("aa added"));
  for (const std::string& text : {test::source_text("aa", 0), test::source_text("aa", 1),
                                  test::kSharedHeader, test::kTaskText})
    EXPECT_EQ(test::stored_text(file_, text), text);
  EXPECT_EQ(chain_of(file_, "aa"), "holds");
  EXPECT_TRUE(sound());
}

// Lint decides what counts in the scores of runs that are here already.
TEST_F(MergeTest, WhatLintFoundElsewhereIsTakenOnRequestOnly) {
  add_run(file_, {.id = "aa"});
  add_run(one_, {.id = "bb"});
  const LintRecord record{.task = "level1/019_relu",
                          .task_hash = "h",
                          .size = "small",
                          .device = "cpu",
                          .state = LintState::kFailed,
                          .version = "v",
                          .checked_at = "2030-01-01T00:00:00Z"};
  ASSERT_TRUE(Store::open(one_, Store::Mode::kReadWrite)->put(record));
  const auto lint = [&] { return Store::open(file_, Store::Mode::kReadOnly)->lint_records(); };
  EXPECT_THAT(merge({one_}).notes, ElementsAre(HasSubstr("1 record, is left there")));
  EXPECT_THAT(lint()->records, IsEmpty());
  const auto taken = merge_databases(
      {.into = file_, .from = {one_}, .key = test::test_key(), .lint = true, .progress = {}});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_THAT(taken->notes, IsEmpty());
  EXPECT_EQ(lint()->records.size(), 1u);
}

// A machine that tries and cannot, later than the one that could, once kept the record of that
// away.
TEST_F(MergeTest, ThatSomebodyCouldNotCheckGivesWayToWhoCould) {
  LintRecord record{.task = "level1/019_relu",
                    .task_hash = "h",
                    .size = "small",
                    .device = "cpu",
                    .state = LintState::kPassed,
                    .version = "v",
                    .checked_at = "2030-01-01T00:00:00Z"};
  LintRecord unable = record;
  unable.state = LintState::kUnable;
  unable.checked_at = "2031-01-01T00:00:00Z";
  const auto lint = [&] { return Store::open(file_, Store::Mode::kReadOnly)->lint_records(); };
  const auto take = [&](const std::filesystem::path& from) {
    return merge_databases(
        {.into = file_, .from = {from}, .key = test::test_key(), .lint = true, .progress = {}});
  };
  add_run(file_, {.id = "aa"});
  add_run(one_, {.id = "bb"});
  add_run(two_, {.id = "cc"});
  ASSERT_TRUE(Store::open(file_, Store::Mode::kReadWrite)->put(unable));
  ASSERT_TRUE(Store::open(one_, Store::Mode::kReadWrite)->put(record));
  ASSERT_TRUE(Store::open(two_, Store::Mode::kReadWrite)->put(unable));
  for (const std::filesystem::path& from : {one_, two_}) {
    ASSERT_TRUE(take(from));
    ASSERT_EQ(lint()->records.size(), 1u);
    EXPECT_EQ(lint()->records.front().state, LintState::kPassed);
  }
}

TEST_F(MergeTest, ADamagedSourceCostsNoRunAndIsTold) {
  test::add_run_with_sources(one_, "aa");
  test::flip_a_bit(one_, test::source_text("aa", 1));
  const Merged merged = merge({one_});
  EXPECT_THAT(words(merged), ElementsAre("aa added"));
  EXPECT_THAT(merged.runs.at(0).damaged,
              ElementsAre(HasSubstr("src/019_relu.cpp of level1/019_relu is damaged")));
  EXPECT_EQ(chain_of(file_, "aa"), "holds");
  EXPECT_EQ(test::stored_text(file_, test::source_text("aa", 0)), test::source_text("aa", 0));
  EXPECT_THAT(test::stored_text(file_, test::source_text("aa", 1)), HasSubstr(test::kIsAnother));
}

TEST_F(MergeTest, ASoundSourceMendsADamagedOneAndNeverTheOtherWayRound) {
  test::add_run_with_sources(one_, "aa");
  std::filesystem::copy_file(one_, two_);
  test::flip_a_bit(one_, test::source_text("aa", 1));
  test::flip_a_bit(one_, test::kTaskText);
  (void)merge({one_});
  const Merged mended = merge({two_});
  EXPECT_THAT(words(mended), ElementsAre("aa there"));
  EXPECT_THAT(mended.runs.at(0).damaged, IsEmpty());
  EXPECT_TRUE(sound());
  EXPECT_THAT(merge({one_}).runs.at(0).damaged, IsEmpty());
  EXPECT_EQ(test::stored_text(file_, test::source_text("aa", 1)), test::source_text("aa", 1));
  EXPECT_TRUE(sound());
}

}  // namespace
}  // namespace kbench
