#include "runner/store/care/prune.hpp"

#include <map>

#include <gmock/gmock.h>

#include "runner/store/care/database_check.hpp"
#include "runner/store/care/vacuum.hpp"
#include "tests/unit/damaged_source_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kOld = "2026-01-01T00:00:00Z";
constexpr const char* kYoung = "2026-11-21T13:00:00Z";

class PruneTest : public DatabaseTest {
 protected:
  static PruneRule rule(bool keep_good = false) {
    return {.begun_before = "2026-08-01T00:00:00Z",
            .keep_good = keep_good,
            .key = test::test_key(),
            .unfinished_since = "2026-11-14T00:00:00Z"};
  }

  // Verdicts by id: what is to happen, and why.
  std::map<std::string, std::string> judged(const PruneRule& by) {
    std::map<std::string, std::string> words;
    const auto verdicts = judge_runs(file_, by);
    EXPECT_TRUE(verdicts.ok());
    if (verdicts)
      for (const PruneVerdict& verdict : *verdicts)
        words[verdict.run.id] = (verdict.goes ? "goes: " : "stays: ") + verdict.why;
    return words;
  }

  void tag(const std::string& run_id, const std::string& name) {
    auto store = Store::open(file_, Store::Mode::kReadWrite);
    ASSERT_TRUE(store->put(Tag{name, run_id, kYoung}).ok());
  }
};

TEST(PruneRuleTest, ATimeToKeepIsDaysOrWeeks) {
  EXPECT_EQ(parse_keep_time("90d").value(), 90);
  EXPECT_EQ(parse_keep_time("12w").value(), 84);
  EXPECT_EQ(parse_keep_time("0d").value(), 0);
  for (const char* word : {"", "90", "d", "-1d", "1.5d", "90h", "100001d", "99999999999d", "1d "})
    EXPECT_EQ(parse_keep_time(word).error().code, ErrorCode::kUsage) << word;
}

TEST(PruneRuleTest, OnlyThoseThatGoAreCounted) {
  std::vector<PruneVerdict> verdicts(3);
  verdicts[0].run.id = "aa";
  verdicts[0].goes = true;
  verdicts[0].bytes = 2048;
  verdicts[1].run.id = "bb";
  verdicts[1].bytes = 1;
  verdicts[2].run.id = "cc";
  verdicts[2].goes = true;
  const RunsThatGo going = runs_that_go(verdicts);
  EXPECT_THAT(going.run_ids, ElementsAre("aa", "cc"));
  EXPECT_EQ(going.bytes, 2048u) << "how much another one takes nobody knows";
}

TEST(PruneRuleTest, RunsOfTheTimeStayAndUnfinishedOnesForAWeek) {
  const PruneRule rule = keep_runs_of(90, true, {});
  EXPECT_TRUE(rule.keep_good);
  EXPECT_FALSE(rule.key);
  EXPECT_EQ(rule.begun_before.size(), 20u);
  EXPECT_LT(rule.begun_before, rule.unfinished_since);
  EXPECT_GT(keep_runs_of(1, false, {}).begun_before, keep_runs_of(1, false, {}).unfinished_since);
}

TEST_F(PruneTest, OldRunsGoAndTaggedOnesStay) {
  add({.id = "aa", .started_at = kOld});
  add({.id = "bb", .started_at = kOld});
  add({.id = "cc", .started_at = kYoung});
  tag("bb", "release-1");
  EXPECT_EQ(judged(rule()), (std::map<std::string, std::string>{{"aa", "goes: old"},
                                                                {"bb", "stays: tagged release-1"},
                                                                {"cc", "stays: young enough"}}));
  EXPECT_THAT(ids(file_), ::testing::UnorderedElementsAre("aa", "bb", "cc")) << "it only reads";
}

TEST_F(PruneTest, GoodOnesStayHoweverOld) {
  add({.id = "good", .started_at = kOld});
  add({.id = "failed", .started_at = kOld, .state = State::kWrongResult});
  add({.id = "ours", .started_at = kOld, .state = State::kInfrastructureError});
  add({.id = "large", .started_at = kOld, .state = State::kDoesNotFit});
  add({.id = "changed", .started_at = kOld});
  add({.id = "unchained", .started_at = kOld, .chained = false});
  add({.id = "killed", .started_at = kOld, .finished = false});
  tamper("UPDATE evaluation SET wall_seconds = 1 WHERE run_id = 'changed' AND key = 'key-1'");
  auto words = judged(rule(/*keep_good=*/true));
  EXPECT_EQ(words["good"], "stays: good");
  EXPECT_EQ(words["failed"], "stays: good") << "that a submission fails is a good result";
  EXPECT_EQ(words["large"], "stays: good") << "a device that is too small is nobody's fault";
  EXPECT_EQ(words["ours"], "goes: old, and not good: infrastructure_error on level1/019_relu");
  EXPECT_EQ(words["changed"], "goes: old, and not good: its chain is changed");
  EXPECT_EQ(words["unchained"], "goes: old, and not good: its chain is unchained");
  EXPECT_EQ(words["killed"], "goes: old, and not good: unfinished");
}

TEST_F(PruneTest, WhatMayBeRunningStaysWhateverIsAsked) {
  add({.id = "running", .started_at = kYoung, .finished = false});
  PruneRule all = rule();
  all.begun_before = "2027-01-01T00:00:00Z";
  EXPECT_EQ(judged(all)["running"], "stays: unfinished, and may be running");
}

TEST_F(PruneTest, WhatCannotBeReadStays) {
  add({.id = "aa", .started_at = kOld});
  tamper("UPDATE sample SET calls = 0 WHERE evaluation = 1");
  EXPECT_THAT(judged(rule(/*keep_good=*/true))["aa"], HasSubstr("stays: it cannot be read"));
}

TEST_F(PruneTest, ADateThatIsNoneStays) {
  add({.id = "aa", .started_at = "yesterday"});
  EXPECT_EQ(judged(rule())["aa"], "stays: nobody can tell when it began");
}

TEST_F(PruneTest, ShardsOfOneRunStayTogether) {
  const auto shard = [](int index) {
    return R"({"device":"cpu","shard":{"group":"nightly-12","index":)" + std::to_string(index) +
           R"(,"of":2,"selection":"5e1ec7"}})";
  };
  add({.id = "aa", .started_at = kOld, .configuration = shard(1)});
  add({.id = "bb", .started_at = kYoung, .configuration = shard(2)});
  EXPECT_EQ(judged(rule())["aa"], "stays: a shard of nightly-12, of which another stays");
}

TEST_F(PruneTest, ARunGoesWithAllItsRowsAndNothingElse) {
  add({.id = "aa", .started_at = kOld, .rows = 20, .samples = 300});
  add({.id = "bb", .rows = 2});
  const auto verdicts = judge_runs(file_, rule());
  ASSERT_TRUE(verdicts.ok());
  const auto removed = remove_runs(file_, {"aa"});
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(removed->runs, 1U);
  // The verdict beforehand told about the size that went.
  const double about = static_cast<double>(verdicts->front().bytes.value());
  EXPECT_NEAR(about / static_cast<double>(removed->bytes), 1.0, 0.3);
  EXPECT_THAT(ids(file_), ElementsAre("bb"));
  EXPECT_EQ(chain_of(file_, "bb"), "holds");
  const auto check = check_database(file_, {.key = test::test_key(), .progress = {}});
  EXPECT_TRUE(check->sound()) << ::testing::PrintToString(check->wrong);
  SQLite::Database raw(file_.string());
  EXPECT_EQ(raw.execAndGet("SELECT count(DISTINCT evaluation) FROM sample").getInt(), 2);
}

TEST_F(PruneTest, ATagThatWasGivenMeanwhileSavesARun) {
  add({.id = "aa", .started_at = kOld});
  tag("aa", "wait");
  const auto removed = remove_runs(file_, {"aa"});
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_EQ(removed->runs, 0U);
  EXPECT_THAT(removed->kept, ElementsAre("aa"));
  EXPECT_THAT(ids(file_), ElementsAre("aa"));
}

TEST_F(PruneTest, VacuumGivesBackWhatWasRemoved) {
  add({.id = "aa", .started_at = kOld, .rows = 20, .samples = 300});
  add({.id = "bb"});
  ASSERT_TRUE(remove_runs(file_, {"aa"}).ok());
  const auto done = vacuum(file_);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_LT(done->bytes_after, done->bytes_before / 2);
  EXPECT_EQ(chain_of(file_, "bb"), "holds");
  EXPECT_TRUE(check_database(file_, {.key = test::test_key(), .progress = {}})->sound());
}

TEST_F(PruneTest, VacuumMakesNoDatabase) {
  EXPECT_EQ(vacuum(file_).error().code, ErrorCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(PruneTest, SourcesGoWithTheLastRunThatNamesThem) {
  test::add_run_with_sources(file_, "aa", kOld);
  test::add_run_with_sources(file_, "bb");
  ASSERT_TRUE(remove_runs(file_, {"aa"}).ok());
  EXPECT_EQ(test::stored_text(file_, test::source_text("aa", 0)), "");
  for (const std::string& text : {test::source_text("bb", 0), test::source_text("bb", 1),
                                  test::kSharedHeader, test::kTaskText})
    EXPECT_EQ(test::stored_text(file_, text), text);
  SQLite::Database raw(file_.string());
  EXPECT_EQ(raw.execAndGet("SELECT count(*) FROM blob").getInt(), 4);
  EXPECT_EQ(raw.execAndGet("SELECT count(DISTINCT hash) FROM tree").getInt(), 2);
  EXPECT_EQ(chain_of(file_, "bb"), "holds");
}

TEST_F(PruneTest, VacuumLeavesAnEmptyFileAlone) {
  std::ofstream(file_) << "";
  const auto refused = vacuum(file_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("an empty database"));
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
}

TEST_F(PruneTest, VacuumLeavesAFileCutByOneByteAlone) {
  add({.id = "aa"});
  checkpoint();
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 1);
  const std::string before = test::bytes_of_file(file_);
  const auto refused = vacuum(file_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("its end is cut off"));
  EXPECT_EQ(test::bytes_of_file(file_), before);
}

}  // namespace
}  // namespace kbench
