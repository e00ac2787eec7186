#include "runner/store/run_name.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/chain/chain_key.hpp"
#include "runner/store/file/migrations.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunNameTest : public ::testing::Test {
 protected:
  RunNameTest() : store_(std::move(Store::open(file_, Store::Mode::kReadWrite).value())) {
    // Oldest first.
    begin("aa11", "2026-11-20T03:00:00Z");
    begin("aa22", "2026-11-21T03:00:00Z");
    begin("bb33", "2026-11-22T03:00:00Z");
  }

  void begin(const std::string& id, const std::string& started_at) {
    kbench::Run run = make_run(id);
    run.started_at = started_at;
    ASSERT_TRUE(store_.begin_run(run).ok());
  }

  std::string id_of(const std::string& name) {
    const auto run = find_run_named(store_, name);
    return run ? run->id : run.error().message;
  }

  Error error_of(const std::string& name) {
    const auto run = find_run_named(store_, name);
    return run ? Error{ErrorCode::kUsage, "found " + run->id, ""} : run.error();
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
  Store store_;
};

TEST_F(RunNameTest, LatestCountsBackFromTheNewest) {
  EXPECT_EQ(id_of("latest"), "bb33");
  EXPECT_EQ(id_of("latest~0"), "bb33");
  EXPECT_EQ(id_of("latest~1"), "aa22");
  EXPECT_EQ(id_of("latest~2"), "aa11");
  const Error none = error_of("latest~3");
  EXPECT_EQ(none.code, ErrorCode::kNotFound);
  EXPECT_EQ(none.message, "there is no run \"latest~3\": 3 are stored");
}

TEST_F(RunNameTest, LatestMayCountSomeRunsOnly) {
  const auto not_newest = [](const kbench::Run& run) { return run.id != "bb33"; };
  EXPECT_EQ(find_run_named(store_, "latest~1", not_newest)->id, "aa11");
  EXPECT_EQ(find_run_named(store_, "bb", not_newest)->id, "bb33") << "an id is an id";
}

TEST(RunName, OnlyItsOwnFormsCountBack) {
  EXPECT_EQ(steps_before_latest("latest"), 0);
  EXPECT_EQ(steps_before_latest("latest~12"), 12);
  for (const char* other :
       {"latest~", "latest~-1", "latest~1x", "latest1", "lates", "", "latest~99999999999999999999"})
    EXPECT_FALSE(steps_before_latest(other)) << other;
}

TEST_F(RunNameTest, TheStartOfAnIdFindsOneAndSeveralAreListed) {
  EXPECT_EQ(id_of("b"), "bb33");
  EXPECT_EQ(id_of("aa2"), "aa22");
  const Error several = error_of("aa");
  EXPECT_EQ(several.code, ErrorCode::kUsage);
  EXPECT_THAT(several.message, HasSubstr("aa11, aa22"));
  EXPECT_EQ(error_of("").code, ErrorCode::kUsage);
}

TEST_F(RunNameTest, ATagFindsItsRunAndAMisspeltOneIsSuggested) {
  ASSERT_TRUE(store_.put(Tag{"nightly-12", "aa11", "2026-11-23T00:00:00Z"}).ok());
  EXPECT_EQ(id_of("nightly-12"), "aa11");
  const Error unknown = error_of("nigthly-12");
  EXPECT_EQ(unknown.code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.hint, "did you mean \"nightly-12\"?");
  EXPECT_EQ(error_of("lastest").hint, "did you mean \"latest\"?");
  EXPECT_THAT(error_of("something-else").hint, HasSubstr("kbench runs"));
}

TEST_F(RunNameTest, ATagIsOneRunsUntilItIsTakenAway) {
  const Tag tag{"good", "aa11", "2026-11-23T00:00:00Z"};
  ASSERT_TRUE(store_.put(tag).ok());
  EXPECT_TRUE(store_.put(tag).ok()) << "twice changes nothing";
  const Status other = store_.put(Tag{"good", "bb33", ""});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_THAT(other.error().hint, HasSubstr("kbench tag --remove good"));
  EXPECT_EQ(id_of("good"), "aa11");
  EXPECT_TRUE(store_.remove_tag("good").ok());
  EXPECT_EQ(store_.remove_tag("good").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(store_.put(Tag{"good", "bb33", ""}).ok());
  EXPECT_EQ(store_.put(Tag{"lost", "cc44", ""}).error().code, ErrorCode::kNotFound);
}

TEST_F(RunNameTest, ARunMayHaveSeveral) {
  for (const char* name : {"zzz", "good"}) ASSERT_TRUE(store_.put(Tag{name, "aa11", "now"}).ok());
  ASSERT_TRUE(store_.put(Tag{"other", "bb33", "now"}).ok());
  EXPECT_THAT(tags_of("aa11", *store_.tags()), ElementsAre("good", "zzz"));
  EXPECT_EQ(store_.tags()->front().tagged_at, "now");
}

TEST(Tag, ANameIsNothingThatReadsAsSomethingElse) {
  for (const std::string& name : std::vector<std::string>{"nightly-12", "v1.2", "x", "_", "latest2",
                                                          std::string(64, 'x'), "2026-11-20"})
    EXPECT_TRUE(check_tag_name(name).ok()) << name;
  for (const std::string& name :
       std::vector<std::string>{"", "latest", "LATEST", "latest~1", "deadbeef", "CAFE", "12", "a b",
                                "a/b", "\x1b[31m", "-x", "é", std::string(65, 'x'), "a\n"})
    EXPECT_FALSE(check_tag_name(name).ok()) << name;
}

TEST_F(RunNameTest, NamingARunLeavesItsChainAsItIs) {
  store_.use(ChainKey{"key", std::string(32, 'k')});
  begin("cc44", "2026-11-23T03:00:00Z");
  ASSERT_TRUE(store_.add(make_evaluation("cc44", 1)).ok());
  ASSERT_TRUE(store_.put(Tag{"good", "cc44", "now"}).ok());
  EXPECT_EQ(store_.read("cc44")->chain.state, ChainFinding::State::kHolds);
  EXPECT_TRUE(store_.add(make_evaluation("cc44", 2)).ok()) << "it goes on";
  ASSERT_TRUE(store_.remove_tag("good").ok());
  EXPECT_EQ(store_.read("cc44")->chain.state, ChainFinding::State::kHolds);
}

TEST_F(RunNameTest, AFileFromBeforeTagsHasNoneAndTakesThem) {
  const auto old_file = folder_ / "old.sqlite";
  {
    SQLite::Database old(old_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(7));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, environment) "
        "VALUES ('r1', '', '', '', '{}', '{}')");
  }
  EXPECT_TRUE(Store::open(old_file, Store::Mode::kReadOnly)->tags()->empty());
  auto store = Store::open(old_file, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.error().message;
  ASSERT_TRUE(store->put(Tag{"good", "r1", "now"}).ok());
  EXPECT_EQ(find_run_named(*store, "good")->id, "r1");
}

// A file is input like any other.
TEST_F(RunNameTest, ForeignTagsStealNoNames) {
  {
    SQLite::Database file(file_.string(), SQLite::OPEN_READWRITE);
    file.exec("INSERT INTO tag VALUES ('bb33', 'aa11', ''), ('latest', 'aa11', '')");
    file.exec("INSERT INTO tag VALUES ('gone', 'nowhere', '')");
  }
  EXPECT_EQ(id_of("bb33"), "bb33");
  EXPECT_EQ(id_of("latest"), "bb33");
  EXPECT_EQ(error_of("gone").code, ErrorCode::kNotFound);
}

TEST_F(RunNameTest, RowsAreCountedByRunAndState) {
  ASSERT_TRUE(store_.add(make_evaluation("aa11", 1)).ok());
  ASSERT_TRUE(store_.add(make_evaluation("aa11", 2)).ok());
  Evaluation crashed = make_evaluation("aa11", 3);
  crashed.state = State::kCrash;
  ASSERT_TRUE(store_.add(crashed).ok());
  const auto counts = store_.state_counts();
  ASSERT_TRUE(counts.ok());
  ASSERT_EQ(counts->size(), 2u);
  EXPECT_EQ(counts->at(0).state, State::kCrash);
  EXPECT_EQ(counts->at(0).rows, 1);
  EXPECT_EQ(counts->at(1).state, State::kOk);
  EXPECT_EQ(counts->at(1).rows, 2);
  EXPECT_EQ(counts->at(1).device, "cpu");
  EXPECT_EQ(store_.row_count("aa11").value(), 3u);
  EXPECT_EQ(store_.row_count("nobody").value(), 0u);
  EXPECT_THAT(*store_.task_ids(), ElementsAre("level1/019_relu"));
  EXPECT_THAT(*store_.agents(), ElementsAre("example"));
  EXPECT_EQ(store_.read_task("level1/019_relu")->evaluations.size(), 3u);
  EXPECT_EQ(store_.read_task("level1/019_relu")->evaluations.at(0).samples.size(), 60u);
  EXPECT_TRUE(store_.read_task("level1/020")->evaluations.empty());
}

}  // namespace
}  // namespace kbench
