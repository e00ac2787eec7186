// Episodes in a database: what comes back, what is refused, and what is done to whole databases
// that hold some.
#include <string>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/care/backup.hpp"
#include "runner/store/care/database_check.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/care/prune.hpp"
#include "runner/store/care/salvage.hpp"
#include "runner/store/file/migrations.hpp"
#include "tests/unit/damaged_source_fixture.hpp"
#include "tests/unit/stored_episode_fixture.hpp"

namespace kbench {
namespace {

using test::add_run_with_episode;
using test::blobs_of;
using test::DatabaseTest;
using test::EpisodeMaker;
using test::put_episode;
using test::submitting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoredEpisodes : public DatabaseTest {
 protected:
  Store open(Store::Mode mode = Store::Mode::kReadWrite) { return open_at(file_, mode); }

  static Store open_at(const std::filesystem::path& file,
                       Store::Mode mode = Store::Mode::kReadOnly) {
    auto store = Store::open(file, mode);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }

  int count(const std::string& what) {
    return SQLite::Database(file_.string()).execAndGet("SELECT count(*) FROM " + what).getInt();
  }

  // Drops the triggers that keep rows as they are; returns the statements that make them again.
  static std::vector<std::string> drop_triggers(SQLite::Database& raw) {
    std::vector<std::string> names;
    std::vector<std::string> made_by;
    SQLite::Statement rows(raw, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    while (rows.executeStep()) {
      names.push_back(rows.getColumn(0).getString());
      made_by.push_back(rows.getColumn(1).getString());
    }
    rows.reset();
    for (const std::string& name : names) raw.exec("DROP TRIGGER " + name);
    return made_by;
  }

  std::vector<std::string> wrong_of(const std::filesystem::path& file, std::size_t run = 0) {
    const auto check = check_database(file, {.key = test::test_key(), .progress = {}});
    EXPECT_TRUE(check.ok());
    return check->runs.size() > run ? check->runs[run].wrong : check->wrong;
  }

  static Merged merge_into(const std::filesystem::path& into, const std::filesystem::path& from) {
    auto merged =
        merge_databases({.into = into, .from = {from}, .key = test::test_key(), .progress = {}});
    EXPECT_TRUE(merged.ok()) << merged.error().message;
    return merged ? std::move(*merged) : Merged{};
  }
};

// --- in and out ---

TEST_F(StoredEpisodes, ComeBackAsTheyWere) {
  add({.id = "aa"});
  EpisodeMaker maker = submitting("e1", "aa");
  maker.turn({}).end(StopReason::kAnswered);
  Turn& second = maker.episode().turns[1];
  second.prompt_tokens.reset();
  second.calls.push_back(second.calls[0]);
  second.calls[1].error = CallError::kOverBudget;
  second.calls[1].evaluation.clear();
  // As if the second prompt had been shortened.
  second.messages = prompt_of(maker.episode(), 1);
  second.continues = false;
  second.compacted = 2;
  Store store = open();
  const Status put = put_episode(store, maker.episode(), maker.contents());
  ASSERT_TRUE(put.ok()) << put.error().message;
  const auto back = store.read_episode("e1");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, maker.episode());
  const auto texts = texts_of(*back);
  const auto contents =
      store.contents(std::vector<std::string>(texts.begin(), texts.end()), 1 << 20);
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  for (const std::string& hash : texts) EXPECT_EQ(contents->at(hash), maker.contents().at(hash));
}

TEST_F(StoredEpisodes, AreListedNewestFirstWithWhatTheyTook) {
  add({.id = "aa"});
  add({.id = "bb"});
  Store store = open();
  EpisodeMaker first = submitting("e1", "aa");
  EpisodeMaker second = submitting("e2", "bb");
  second.episode().started_at = "2026-11-22T13:00:00Z";
  second.episode().turns[0].invalid_calls = 3;
  for (EpisodeMaker* maker : {&first, &second})
    ASSERT_TRUE(put_episode(store, maker->episode(), maker->contents()).ok());
  const auto all = store.episodes();
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const EpisodeSummary& newest = all->at(0);
  EXPECT_EQ(newest.head.id, "e2");
  EXPECT_EQ(newest.turns, 2);
  EXPECT_EQ(newest.calls, 2);
  EXPECT_EQ(newest.invalid_calls, 3);
  EXPECT_EQ(newest.tokens, 100 + 10 + 200 + 10);
  EXPECT_EQ(newest.evaluation, "key-0");
  EXPECT_EQ(newest.head.stop_reason, StopReason::kSubmit);
  const auto of_one = store.episodes("aa");
  ASSERT_EQ(of_one->size(), 1u);
  EXPECT_EQ(of_one->at(0).head.id, "e1");
}

TEST_F(StoredEpisodes, AreFoundByTheStartOfTheirId) {
  add({.id = "aa"});
  Store store = open();
  for (const char* id : {"abcd", "abce", "ab"}) {
    EpisodeMaker maker = submitting(id, "aa");
    ASSERT_TRUE(put_episode(store, maker.episode(), maker.contents()).ok());
  }
  EXPECT_EQ(store.read_episode("abcd")->id, "abcd");
  EXPECT_EQ(store.read_episode("ab")->id, "ab") << "a whole id comes first";
  EXPECT_EQ(store.read_episode("abc").error().code, ErrorCode::kUsage);
  EXPECT_EQ(store.read_episode("x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store.read_episode("").error().code, ErrorCode::kNotFound);
}

TEST_F(StoredEpisodes, AReplyIsThereBeforeItsToolsRunAndOneThatWasCutOffGoesOn) {
  add({.id = "aa"});
  EpisodeMaker maker = submitting("e1", "aa");
  const std::vector<Blob> blobs = blobs_of(maker.contents());
  {
    Store store = open();
    Episode head = maker.episode();
    head.turns.clear();
    head.finished_at.clear();
    head.stop_reason.reset();
    ASSERT_TRUE(store.begin_episode(head).ok());
    ASSERT_TRUE(store.add_turn("e1", 0, maker.episode().turns[0], blobs).ok());
  }
  Store store = open();
  const auto cut = store.read_episode("e1");
  ASSERT_TRUE(cut.ok()) << cut.error().message;
  ASSERT_EQ(cut->turns.size(), 1u);
  EXPECT_THAT(cut->turns[0].calls, IsEmpty()) << "nobody ran it yet";
  EXPECT_EQ(cut->stop_reason, std::nullopt);
  ASSERT_TRUE(store.add_call("e1", 0, 0, maker.episode().turns[0].calls[0], blobs).ok());
  ASSERT_TRUE(store.add_turn("e1", 1, maker.episode().turns[1], blobs).ok());
  ASSERT_TRUE(store.finish_episode("e1", "2026-11-21T13:05:00Z", StopReason::kSeconds).ok());
  EXPECT_EQ(store.read_episode("e1")->turns.size(), 2u);
}

TEST_F(StoredEpisodes, WhatDoesNotBelongTogetherIsRefused) {
  add({.id = "aa"});
  EpisodeMaker maker = submitting("e1", "aa");
  const Episode& whole = maker.episode();
  const std::vector<Blob> blobs = blobs_of(maker.contents());
  Store store = open();
  EpisodeMaker nowhere = submitting("e2", "none");
  EXPECT_FALSE(put_episode(store, nowhere.episode(), nowhere.contents()).ok()) << "no such run";
  EXPECT_EQ(store.add_turn("e1", 0, whole.turns[0], blobs).error().code, ErrorCode::kNotFound);
  Episode head = whole;
  head.finished_at.clear();
  head.stop_reason.reset();
  ASSERT_TRUE(store.begin_episode(head).ok());
  EXPECT_EQ(store.begin_episode(head).error().code, ErrorCode::kUsage);
  EXPECT_FALSE(store.add_turn("e1", 0, whole.turns[0], {}).ok()) << "its texts are not there";
  EXPECT_FALSE(store.add_turn("e1", 1, whole.turns[1], blobs).ok()) << "there is no turn 0";
  EXPECT_FALSE(store.add_turn("e1", 0, whole.turns[1], blobs).ok()) << "it follows on nothing";
  EXPECT_FALSE(store.add_call("e1", 0, 0, whole.turns[0].calls[0], blobs).ok()) << "of no turn";
  ASSERT_TRUE(store.add_turn("e1", 0, whole.turns[0], blobs).ok());
  EXPECT_FALSE(store.add_turn("e1", 0, whole.turns[0], blobs).ok()) << "each is there once";
  ToolCall call = whole.turns[0].calls[0];
  call.evaluation = "no such key";
  EXPECT_FALSE(store.add_call("e1", 0, 0, call, blobs).ok());
  call.evaluation.clear();
  ASSERT_TRUE(store.add_call("e1", 0, 0, call, blobs).ok());
  EXPECT_FALSE(store.add_call("e1", 0, 0, call, blobs).ok());
  ASSERT_TRUE(store.finish_episode("e1", "2026-11-21T13:05:00Z", StopReason::kTurns).ok());
  EXPECT_EQ(store.finish_episode("e1", "2026-11-21T13:06:00Z", StopReason::kTurns).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(store.add_turn("e1", 1, whole.turns[1], blobs).error().code, ErrorCode::kUsage);
}

TEST_F(StoredEpisodes, NobodyChangesThem) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
  for (const char* sql :
       {"UPDATE episode SET stop_reason = 'turns'", "UPDATE episode SET model = 'a better one'",
        "UPDATE turn SET invalid_calls = 0", "UPDATE call SET error = ''"})
    EXPECT_THROW(raw.exec(sql), SQLite::Exception) << sql;
  raw.exec(
      "INSERT INTO episode (id, run_id, task, size, device, model, sampling, seed, budget, "
      "started_at, finished_at, stop_reason) VALUES ('e2', 'aa', '', '', '', '', '{}', 1, '{}', "
      "'', '', '')");
  EXPECT_THROW(raw.exec("UPDATE episode SET seed = 2 WHERE id = 'e2'"), SQLite::Exception);
  raw.exec("UPDATE episode SET finished_at = 'now', stop_reason = 'turns' WHERE id = 'e2'");
  EXPECT_THROW(raw.exec("UPDATE episode SET finished_at = 'later' WHERE id = 'e2'"),
               SQLite::Exception);
}

TEST_F(StoredEpisodes, GrowWithWhatWasSaidAndNotWithItsSquare) {
  add({.id = "aa"});
  EpisodeMaker maker("e1", "aa");
  for (int i = 0; i < 200; ++i) maker.turn({{.arguments = std::to_string(i)}});
  Store store = open();
  ASSERT_TRUE(put_episode(store, maker.episode(), maker.contents()).ok());
  EXPECT_EQ(*store.read_episode("e1"), maker.episode());
  const int longest = SQLite::Database(file_.string())
                          .execAndGet("SELECT max(bytes) FROM blob JOIN turn ON context = number")
                          .getInt();
  EXPECT_LT(longest, 400) << "a prompt names what was added";
}

// --- values that no row of ours has ---

TEST_F(StoredEpisodes, ValuesThatNoneCanHaveAreDamage) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  checkpoint();
  const auto sound = folder_ / "sound.sqlite";
  std::filesystem::copy_file(file_, sound);
  for (const auto& [sql, what] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE episode SET stop_reason = 'bored'", "unknown \"bored\""},
           {"UPDATE episode SET finished_at = ''", "a stop reason and no end"},
           {"UPDATE turn SET wall_ms = -1", "time is negative"},
           {"UPDATE turn SET invalid_calls = -1", "which no count can be"},
           {"UPDATE turn SET position = position + 5 WHERE position = 1", "turn 2"},
           {"UPDATE call SET position = 3", "call 1 in turn 1"},
           {"UPDATE call SET error = 'odd'", "unknown \"odd\""},
           {"UPDATE turn SET context = reply", "context"},
           {"UPDATE turn SET context = (SELECT context FROM turn WHERE position = 1) "
            "WHERE position = 0",
            "follows on another one"},
           {"DELETE FROM turn WHERE position = 0", "turn 1 of an episode is missing"},
           {"DELETE FROM call WHERE turn = 0; UPDATE call SET turn = 7", "of no turn"},
           {"UPDATE call SET evaluation = 99 WHERE turn = 1", "that is not there"}}) {
    SCOPED_TRACE(sql);
    {
      SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
      const std::vector<std::string> triggers = drop_triggers(raw);
      raw.exec(sql);
      // As they were, or the file is refused for that.
      for (const std::string& trigger : triggers) raw.exec(trigger);
    }
    const Store store = open(Store::Mode::kReadOnly);
    const auto read = store.read_episode("e1");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(read.error().message, HasSubstr(what));
    EXPECT_TRUE(store.evaluations("aa").ok()) << "rows are as good as they were";
    std::filesystem::copy_file(sound, file_, std::filesystem::copy_options::overwrite_existing);
  }
}

// --- whole databases ---

TEST_F(StoredEpisodes, AnOlderDatabaseHasNoneAndTakesThem) {
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(schema_steps().size() - 1));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, environment) "
        "VALUES ('aa', '', '', '', '{}', '{}')");
  }
  EXPECT_THAT(*open(Store::Mode::kReadOnly).episodes(), IsEmpty());
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  Store store = open();
  EpisodeMaker maker("e1", "aa");
  maker.turn({{}}).end(StopReason::kTurns);
  ASSERT_TRUE(put_episode(store, maker.episode(), maker.contents()).ok());
  EXPECT_EQ(*store.read_episode("e1"), maker.episode());
}

TEST_F(StoredEpisodes, AreCheckedTextByText) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  checkpoint();
  test::flip_a_bit(file_, "written by e1");
  EXPECT_THAT(wrong_of(file_), ElementsAre(HasSubstr("of episode e1")));
}

TEST_F(StoredEpisodes, AMissingMessageIsWrong) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  EpisodeMaker maker = submitting("e1", "aa");
  tamper("DELETE FROM blob WHERE hash = '" + maker.episode().turns[0].messages[0] + "'");
  EXPECT_THAT(wrong_of(file_), ElementsAre(HasSubstr("1 text of episode e1 is damaged: blob")));
}

TEST_F(StoredEpisodes, GoWithTheirRunAndTheirTextsWithTheLastThatNamesThem) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  add_run_with_episode(file_, {.id = "bb"}, "e2");
  EpisodeMaker kept = submitting("e2", "bb");
  const int before = count("blob");
  const auto removed = remove_runs(file_, {"aa"});
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(count("episode"), 1);
  EXPECT_EQ(count("turn"), 2);
  EXPECT_EQ(count("call"), 2);
  EXPECT_LT(count("blob"), before);
  const Store store = open(Store::Mode::kReadOnly);
  EXPECT_EQ(*store.read_episode("e2"), kept.episode());
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  ASSERT_TRUE(remove_runs(file_, {"bb"}).ok());
  EXPECT_EQ(count("blob"), 0);
}

TEST_F(StoredEpisodes, WhereAPromptCannotBeReadNoTextIsRemoved) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  add_run_with_episode(file_, {.id = "bb"}, "e2");
  {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    const std::vector<std::string> triggers = drop_triggers(raw);
    raw.exec(
        "UPDATE blob SET bytes = bytes + 1 WHERE number = (SELECT context FROM turn WHERE "
        "episode = 2 AND position = 1)");
    for (const std::string& trigger : triggers) raw.exec(trigger);
  }
  const int before = count("blob");
  ASSERT_TRUE(remove_runs(file_, {"aa"}).ok());
  EXPECT_EQ(count("blob"), before);
}

TEST_F(StoredEpisodes, AreMergedOnceAndCompared) {
  const auto other = folder_ / "other.sqlite";
  add_run_with_episode(other, {.id = "aa"}, "e1");
  EXPECT_EQ(merge_into(file_, other).runs.at(0).state, MergedRun::State::kAdded);
  EpisodeMaker maker = submitting("e1", "aa");
  EXPECT_EQ(*open(Store::Mode::kReadOnly).read_episode("e1"), maker.episode());
  EXPECT_THAT(wrong_of(file_), IsEmpty());
  EXPECT_EQ(merge_into(file_, other).runs.at(0).state, MergedRun::State::kThere);
  const auto without = folder_ / "without.sqlite";
  test::add_run(without, {.id = "aa"});
  EXPECT_EQ(merge_into(file_, without).runs.at(0).why, "one has 1 episodes, the other 0");
  const auto differs = folder_ / "differs.sqlite";
  test::add_run(differs, {.id = "aa"});
  maker.episode().turns[1].wall_ms = 6;
  Store store = open_at(differs, Store::Mode::kReadWrite);
  ASSERT_TRUE(put_episode(store, maker.episode(), maker.contents()).ok());
  EXPECT_EQ(merge_into(file_, differs).runs.at(0).why, "episode e1 differs");
}

TEST_F(StoredEpisodes, OneOfAnotherRunWithThatIdIsRefused) {
  const auto other = folder_ / "other.sqlite";
  add_run_with_episode(other, {.id = "bb"}, "e1");
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  EXPECT_EQ(merge_into(file_, other).runs.at(0).why, "its episode e1 is another run's here");
  EXPECT_THAT(ids(file_), ElementsAre("aa"));
}

TEST_F(StoredEpisodes, AreSavedFromADamagedFile) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  checkpoint();
  test::overwrite(file_, 0, std::string(100, '\0'));
  const auto saved = folder_ / "saved.sqlite";
  const auto salvaged = salvage(file_, saved, test::test_key());
  ASSERT_TRUE(salvaged.ok()) << salvaged.error().message;
  EXPECT_THAT(salvaged->notes, IsEmpty());
  EpisodeMaker maker = submitting("e1", "aa");
  EXPECT_EQ(*open_at(saved).read_episode("e1"), maker.episode());
  EXPECT_THAT(wrong_of(saved), IsEmpty());
}

TEST_F(StoredEpisodes, OneThatIsDamagedCostsNoRun) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  add_run_with_episode(file_, {.id = "bb"}, "e2");
  checkpoint();
  tamper("DELETE FROM turn WHERE episode = 1 AND position = 0");
  test::flip_a_bit(file_, "written by e2");
  const auto saved = folder_ / "saved.sqlite";
  const auto salvaged = salvage(file_, saved, test::test_key());
  ASSERT_TRUE(salvaged.ok()) << salvaged.error().message;
  EXPECT_EQ(salvaged->saved.size(), 2u);
  EXPECT_THAT(salvaged->notes, ElementsAre(HasSubstr("run aa: its episode 1 is lost: turn 1"),
                                           HasSubstr("of episode e2")));
  const Store store = open_at(saved);
  EXPECT_EQ(store.episodes()->size(), 1u);
  EXPECT_TRUE(store.read_episode("e2").ok());
  EXPECT_EQ(chain_of(saved, "aa"), "holds");
}

TEST_F(StoredEpisodes, AreInABackup) {
  add_run_with_episode(file_, {.id = "aa"}, "e1");
  const auto copy = folder_ / "copy.sqlite";
  ASSERT_TRUE(back_up(file_, copy).ok());
  EpisodeMaker maker = submitting("e1", "aa");
  EXPECT_EQ(*open_at(copy).read_episode("e1"), maker.episode());
}

}  // namespace
}  // namespace kbench
