// Files that were damaged for real: each is written by the store and then overwritten, cut or
// zeroed as a bad disk, a full one or a careless program does it.
#include "runner/store/care/salvage.hpp"

#include <algorithm>
#include <map>

#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>

#include "runner/store/care/database_check.hpp"
#include "runner/store/file/migrations.hpp"
#include "tests/unit/damaged_source_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using test::kPage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SalvageTest : public DatabaseTest {
 protected:
  static constexpr int kRuns = 6;

  // Runs of some hundred pages together, in one file, which takes longer to make than most tests.
  void SetUp() override {
    static std::string made;
    if (!made.empty()) {
      std::ofstream(file_, std::ios::binary) << made;
      return;
    }
    for (int run = 0; run < kRuns; ++run)
      add({.id = "run-" + std::to_string(run),
           .started_at = "2026-11-2" + std::to_string(run) + "T13:00:00Z",
           .rows = 6,
           .samples = 200});
    auto store = Store::open(file_, Store::Mode::kReadWrite);
    ASSERT_TRUE(store->put(Tag{"release-1", "run-0", "2026-11-22T13:00:00Z"}).ok());
    store = Error{};
    checkpoint();
    made = test::bytes_of_file(file_);
  }

  Salvaged save() {
    auto salvaged = salvage(file_, saved_, test::test_key());
    EXPECT_TRUE(salvaged.ok()) << salvaged.error().message;
    return salvaged ? std::move(*salvaged) : Salvaged{};
  }

  // The page that the root of a table or index lies on, counted from 0.
  std::size_t root_of(const std::string& name) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READONLY);
    return static_cast<std::size_t>(
        raw.execAndGet("SELECT rootpage - 1 FROM sqlite_schema WHERE name = '" + name + "'")
            .getInt());
  }

  // Pages of a table or index that hold rows, in the order of the rows.
  std::vector<std::size_t> leaves_of(const std::string& name) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READONLY);
    SQLite::Statement rows(raw,
                           "SELECT pageno - 1 FROM dbstat WHERE name = ? AND pagetype = "
                           "'leaf' ORDER BY path");
    rows.bind(1, name);
    std::vector<std::size_t> pages;
    while (rows.executeStep())
      pages.push_back(static_cast<std::size_t>(rows.getColumn(0).getInt()));
    return pages;
  }

  void destroy_page(std::size_t page, char with = '\0') {
    test::overwrite(file_, page * kPage, std::string(kPage, with));
  }

  // The new file is sound, and what it holds is what was stored.
  void expect_saved_runs_hold(const Salvaged& salvaged) {
    const auto check = check_database(saved_, {.key = test::test_key(), .progress = {}});
    ASSERT_TRUE(check.ok()) << check.error().message;
    EXPECT_TRUE(check->sound()) << ::testing::PrintToString(check->wrong);
    EXPECT_EQ(check->runs.size(), salvaged.saved.size());
    for (const SavedRun& run : salvaged.saved) {
      EXPECT_EQ(to_string(run.chain.state), "holds") << run.run.id;
      EXPECT_EQ(run.rows, 6U);
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      EXPECT_THAT(entry.path().string(), Not(HasSubstr(".partial"))) << "left behind";
  }

  std::filesystem::path saved_ = folder_ / "saved.sqlite";
};

TEST_F(SalvageTest, OfASoundFileEverythingIsSaved) {
  ASSERT_TRUE(Store::open(file_, Store::Mode::kReadWrite)->put_night("run-1", "[1]").ok());
  const Salvaged salvaged = save();
  EXPECT_EQ(salvaged.saved.size(), 6U);
  EXPECT_THAT(salvaged.lost, IsEmpty());
  EXPECT_THAT(salvaged.mended, IsEmpty());
  EXPECT_THAT(salvaged.notes, IsEmpty());
  expect_saved_runs_hold(salvaged);
  const auto tags = Store::open(saved_, Store::Mode::kReadOnly)->tags();
  EXPECT_EQ(tags_of("run-0", *tags), std::vector<std::string>{"release-1"});
  EXPECT_EQ(*Store::open(saved_, Store::Mode::kReadOnly)->night("run-1"), "[1]");
}

TEST_F(SalvageTest, APageOfSamplesCostsTheRunsThatItIsOf) {
  const auto pages = leaves_of("sample");
  ASSERT_GT(pages.size(), 30U);
  for (const char with : {'\0', 'x'}) {
    destroy_page(pages[pages.size() / 2], with);
    const Salvaged salvaged = save();
    EXPECT_GE(salvaged.saved.size(), 4U);
    ASSERT_FALSE(salvaged.lost.empty());
    EXPECT_THAT(salvaged.lost.front().why, HasSubstr("malformed"));
    EXPECT_FALSE(salvaged.lost.front().started_at.empty());
    expect_saved_runs_hold(salvaged);
    std::filesystem::remove(saved_);
  }
}

// Every page in turn: what is called saved holds, whatever was hit.
TEST_F(SalvageTest, WhicheverPageIsLostWhatIsSavedHolds) {
  const std::string whole = test::bytes_of_file(file_);
  const std::size_t pages = whole.size() / kPage;
  std::size_t best = 0;
  for (std::size_t page = 1; page < pages; page += 1 + pages / 30) {
    std::ofstream(file_, std::ios::binary) << whole;
    destroy_page(page);
    const auto salvaged = salvage(file_, saved_, test::test_key());
    if (salvaged && salvaged->saved.empty()) {
      EXPECT_FALSE(std::filesystem::exists(saved_));
    } else if (salvaged) {
      expect_saved_runs_hold(*salvaged);
      EXPECT_EQ(salvaged->saved.size() + salvaged->lost.size(), 6U) << "page " << page;
      best = std::max(best, salvaged->saved.size());
    } else {
      EXPECT_EQ(salvaged.error().code, ErrorCode::kBadInput) << salvaged.error().message;
      EXPECT_FALSE(std::filesystem::exists(saved_));
    }
    std::filesystem::remove(saved_);
  }
  EXPECT_GE(best, 5U);
}

TEST_F(SalvageTest, ALeafOfEvaluationsIsJumpedOver) {
  const auto pages = leaves_of("evaluation");
  ASSERT_GT(pages.size(), 4U);
  destroy_page(pages[pages.size() / 2]);
  const Salvaged salvaged = save();
  EXPECT_GE(salvaged.saved.size(), 4U);
  EXPECT_GE(salvaged.lost.size(), 1U);
  EXPECT_EQ(salvaged.saved.size() + salvaged.lost.size(), 6U);
  expect_saved_runs_hold(salvaged);
}

TEST_F(SalvageTest, AnIndexThatIsLostCostsNothing) {
  destroy_page(root_of("sqlite_autoindex_evaluation_1"));
  destroy_page(root_of("evaluation_by_state"));
  const Salvaged salvaged = save();
  EXPECT_EQ(salvaged.saved.size(), 6U);
  expect_saved_runs_hold(salvaged);
}

TEST_F(SalvageTest, AZeroedHeaderCostsNothing) {
  test::overwrite(file_, 0, std::string(100, '\0'));
  const Salvaged salvaged = save();
  EXPECT_THAT(salvaged.mended, ElementsAre(HasSubstr("its header was lost")));
  EXPECT_EQ(salvaged.saved.size(), 6U);
  expect_saved_runs_hold(salvaged);
}

TEST_F(SalvageTest, ALostFirstPageCostsNothing) {
  destroy_page(0);
  const Salvaged salvaged = save();
  EXPECT_THAT(salvaged.mended, ElementsAre(HasSubstr("its first page was lost")));
  EXPECT_EQ(salvaged.saved.size(), 6U);
  expect_saved_runs_hold(salvaged);
}

// Little is cut off: a small table that was split late lies at the end whole, and no run is
// without.
TEST_F(SalvageTest, ATruncatedFileGivesWhatIsBeforeItsEnd) {
  const auto size = std::filesystem::file_size(file_);
  std::filesystem::resize_file(file_, size - 8 * kPage - 1000);
  const Salvaged salvaged = save();
  EXPECT_THAT(salvaged.mended, ElementsAre(HasSubstr("its end is missing")));
  EXPECT_GE(salvaged.saved.size(), 1U);
  EXPECT_GE(salvaged.lost.size(), 1U);
  EXPECT_EQ(salvaged.saved.size() + salvaged.lost.size(), 6U);
  expect_saved_runs_hold(salvaged);
}

TEST_F(SalvageTest, WithoutTheKeyChainsAreUncheckedAndKept) {
  const auto salvaged = salvage(file_, saved_, std::nullopt);
  ASSERT_TRUE(salvaged.ok());
  for (const SavedRun& run : salvaged->saved) EXPECT_EQ(to_string(run.chain.state), "unchecked");
  EXPECT_EQ(chain_of(saved_, "run-3"), "holds") << "by who has the key";
}

TEST_F(SalvageTest, AChangedRunIsSavedAndSaidToBeChanged) {
  tamper("UPDATE evaluation SET message = 'better' WHERE run_id = 'run-2'");
  std::map<std::string, std::string> chains;
  for (const SavedRun& run : save().saved) chains[run.run.id] = to_string(run.chain.state);
  EXPECT_EQ(chains.at("run-2"), "changed");
  EXPECT_EQ(chains.at("run-3"), "holds");
}

TEST_F(SalvageTest, ARunWithoutAllItsRowsIsLost) {
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM evaluation WHERE number = 3");
  tamper("DELETE FROM sample WHERE evaluation = 9 AND position = 17");
  const Salvaged salvaged = save();
  ASSERT_EQ(salvaged.lost.size(), 2U);
  EXPECT_EQ(salvaged.lost[0].why, "5 of its 6 rows are left");
  EXPECT_THAT(salvaged.lost[1].why, HasSubstr("row 3"));
  expect_saved_runs_hold(salvaged);
}

TEST_F(SalvageTest, ARunWhoseOwnRowIsLostIsNamedByItsRows) {
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = 'run-4'");
  const Salvaged salvaged = save();
  ASSERT_EQ(salvaged.lost.size(), 1U);
  EXPECT_EQ(salvaged.lost[0].id, "run-4");
  EXPECT_EQ(salvaged.lost[0].why, "its own row is lost; 6 rows of it are left");
}

TEST_F(SalvageTest, WhatIsStillInTheLogIsSaved) {
  SQLite::Database reader(file_.string(), SQLite::OPEN_READWRITE);
  reader.execAndGet("PRAGMA journal_mode = WAL");
  reader.exec("BEGIN");
  reader.execAndGet("SELECT count(*) FROM run");  // keeps the log when the writer ends
  add({.id = "late", .started_at = "2026-11-29T13:00:00Z", .rows = 6});
  ASSERT_GT(std::filesystem::file_size(file_.string() + "-wal"), kPage);
  EXPECT_EQ(save().saved.size(), 7U);
}

TEST_F(SalvageTest, ADatabaseOfBeforeIsSavedWithTodaysSchema) {
  std::filesystem::remove(file_);
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(3));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, "
        "environment) VALUES ('old', '2025-11-21T13:00:00Z', '', 'x', '{}', '{}')");
  }
  test::overwrite(file_, 0, std::string(100, '\0'));
  const Salvaged salvaged = save();
  ASSERT_EQ(salvaged.saved.size(), 1U);
  EXPECT_EQ(to_string(salvaged.saved[0].chain.state), "unchained");
}

TEST_F(SalvageTest, WhatIsNoDatabaseGivesNothing) {
  std::ofstream(file_, std::ios::binary) << std::string(20 * kPage, 'x');
  const auto nothing = salvage(file_, saved_, std::nullopt);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(nothing.error().hint, HasSubstr("backup"));
  EXPECT_FALSE(std::filesystem::exists(saved_));
  std::ofstream(file_, std::ios::binary | std::ios::trunc) << "";
  EXPECT_FALSE(salvage(file_, saved_, std::nullopt).ok());
}

TEST_F(SalvageTest, NothingIsOverwrittenAndTheDamagedFileIsOnlyRead) {
  const std::string before = test::bytes_of_file(file_);
  std::ofstream(saved_) << "mine";
  const auto refused = salvage(file_, saved_, std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  std::filesystem::remove(saved_);
  (void)save();
  EXPECT_EQ(test::bytes_of_file(file_), before);
}

TEST_F(SalvageTest, WhereNoRunIsWholeThereIsNoFileAndEachIsNamed) {
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM evaluation WHERE key = 'key-2'");
  const Salvaged salvaged = save();
  EXPECT_THAT(salvaged.saved, IsEmpty());
  EXPECT_EQ(salvaged.lost.size(), 6U);
  EXPECT_FALSE(std::filesystem::exists(saved_));
}

TEST_F(SalvageTest, SourcesAreSaved) {
  test::add_run_with_sources(file_, "sourced");
  EXPECT_THAT(save().notes, IsEmpty());
  for (const std::string& text : {test::source_text("sourced", 0), test::source_text("sourced", 1),
                                  test::kSharedHeader, test::kTaskText})
    EXPECT_EQ(test::stored_text(saved_, text), text);
  EXPECT_EQ(chain_of(saved_, "sourced"), "holds");
}

TEST_F(SalvageTest, ADamagedSourceCostsNoRunAndIsListed) {
  test::add_run_with_sources(file_, "sourced");
  test::flip_a_bit(file_, test::source_text("sourced", 1));
  const Salvaged salvaged = save();
  EXPECT_EQ(salvaged.saved.size(), 7U);
  EXPECT_THAT(
      salvaged.notes,
      ElementsAre(HasSubstr("run sourced: src/019_relu.cpp of level1/019_relu is damaged")));
  EXPECT_EQ(chain_of(saved_, "sourced"), "holds");
  EXPECT_EQ(test::stored_text(saved_, test::source_text("sourced", 0)),
            test::source_text("sourced", 0));
  EXPECT_THAT(test::stored_text(saved_, test::source_text("sourced", 1)),
              HasSubstr(test::kIsAnother));
}

TEST_F(SalvageTest, AnIndexOfSourcesThatIsLostCostsNone) {
  test::add_run_with_sources(file_, "sourced");
  checkpoint();
  destroy_page(root_of("sqlite_autoindex_blob_1"));
  EXPECT_THAT(save().notes, IsEmpty());
  EXPECT_EQ(test::stored_text(saved_, test::source_text("sourced", 1)),
            test::source_text("sourced", 1));
}

// The index still says which texts the page had.
TEST_F(SalvageTest, ALostPageOfSourcesCostsNoRun) {
  test::add_run_with_sources(file_, "sourced");
  checkpoint();
  destroy_page(root_of("blob"));
  EXPECT_TRUE(Store::open(file_, Store::Mode::kReadOnly)->evaluations("sourced").ok());
  const Salvaged salvaged = save();
  EXPECT_EQ(salvaged.saved.size(), 7U);
  EXPECT_EQ(salvaged.notes.size(), 4U) << "a header, a task, two texts";
  EXPECT_EQ(chain_of(saved_, "sourced"), "holds");
  EXPECT_THAT(test::stored_text(saved_, test::source_text("sourced", 1)),
              HasSubstr(test::kIsAnother));
}

}  // namespace
}  // namespace kbench
