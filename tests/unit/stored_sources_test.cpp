// Sources in the database: kept once, chained, never changed, and damage where they were.
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "runner/store/file/migrations.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::add_sources;
using test::kSharedHeader;
using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = Store::Mode;

const ChainKey kKey = chain_key_of(std::string(32, 'k'));

struct Submitted {
  Evaluation evaluation;
  std::vector<Blob> blobs;
};

Submitted submit(int number, const std::string& text) {
  Submitted made{make_evaluation("r1", number, 6), {}};
  made.blobs = add_sources(made.evaluation, text);
  return made;
}

class StoredSources : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store = open();
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
    for (int i = 0; i < 3; ++i) {
      const Submitted one = submit(i, "int text = " + std::to_string(i / 2) + ";");
      ASSERT_TRUE(store.add(one.evaluation, one.blobs).ok());
    }
  }

  Store open(Mode mode = Mode::kReadWrite) {
    Result<Store> store = Store::open(file_, mode);
    if (!store) throw std::runtime_error(store.error().message);
    store->use(kKey);
    return std::move(*store);
  }

  void tamper(const std::string& sql) {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec(sql);
  }
  // Rewrites as somebody who has taken the triggers out, and put them back.
  void rewrite(const std::string& sql) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    sqlite3_db_config(raw.getHandle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    raw.exec(sql);
  }
  int count(const std::string& table) {
    return SQLite::Database(file_.string()).execAndGet("SELECT count(*) FROM " + table).getInt();
  }
  void expect_damaged(const std::string& what) {
    const auto rows = open(Mode::kReadOnly).evaluations("r1");
    ASSERT_FALSE(rows.ok()) << what;
    EXPECT_THAT(rows.error().message, AllOf(HasSubstr("damaged"), HasSubstr(what)));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

TEST_F(StoredSources, ComeBackAsTheyWere) {
  const Store store = open(Mode::kReadOnly);
  const auto rows = store.evaluations("r1");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const Submitted one = submit(2, "int text = 1;");
  EXPECT_EQ(rows->at(2).sources, one.evaluation.sources);
  EXPECT_EQ(rows->at(2).tree_hash, one.evaluation.tree_hash);
  const std::vector<std::string> hashes = {one.blobs[0].hash, one.blobs[1].hash,
                                           rows->at(2).task_source, "nobody's"};
  const auto contents = store.contents(hashes, 1 << 20);
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  EXPECT_EQ(contents->size(), 3u);
  EXPECT_EQ(contents->at(hashes[0]), kSharedHeader);
  EXPECT_EQ(contents->at(hashes[1]), "int text = 1;");
  EXPECT_EQ(contents->at(hashes[2]), "class Model");
  EXPECT_EQ(store.read("r1")->chain.state, ChainFinding::State::kHolds);
}

TEST_F(StoredSources, AreKeptOnce) {
  EXPECT_EQ(count("blob"), 4) << "a header, a task, two texts";
  EXPECT_EQ(count("tree"), 4) << "two trees of two files";
}

TEST_F(StoredSources, TheSmallestComeFirstWhereNotAllMayCome) {
  const Submitted one = submit(0, "int text = 0;");
  std::vector<std::string> hashes;
  for (const Blob& blob : one.blobs) hashes.push_back(blob.hash);
  const auto contents = open().contents(hashes, 100);
  ASSERT_TRUE(contents.ok());
  EXPECT_EQ(contents->size(), 2u);
  EXPECT_FALSE(contents->contains(one.blobs[0].hash)) << "the header has 3000 bytes";
}

TEST_F(StoredSources, NobodyChangesThem) {
  for (const char* sql :
       {"UPDATE blob SET content = x'00'", "UPDATE tree SET path = 'src/other.cpp'"}) {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    try {
      raw.exec(sql);
      ADD_FAILURE() << sql << " did something";
    } catch (const SQLite::Exception& exception) {
      EXPECT_THAT(exception.what(), HasSubstr("is never"));
    }
  }
  EXPECT_TRUE(open().evaluations("r1").ok());
}

TEST_F(StoredSources, TheChainCoversThem) {
  const std::string other = submit(0, "int text = 0;").evaluation.tree_hash;
  tamper("UPDATE evaluation SET tree_hash = '" + other + "' WHERE number = 3");
  const auto chain = open().read("r1")->chain;
  EXPECT_EQ(chain.state, ChainFinding::State::kChanged);
  EXPECT_THAT(chain.message, HasSubstr("row 3"));
}

TEST_F(StoredSources, TheChainCoversTheTasksSource) {
  tamper("UPDATE evaluation SET task_source = (SELECT hash FROM blob WHERE bytes = 3000)");
  EXPECT_EQ(open().read("r1")->chain.state, ChainFinding::State::kChanged);
}

TEST_F(StoredSources, ATreeOfOtherFilesIsDamage) {
  for (const char* sql : {"UPDATE tree SET path = 'src/other.cpp' WHERE path = 'src/019_relu.cpp'",
                          "UPDATE tree SET blob = 1 WHERE path = 'src/019_relu.cpp'",
                          "DELETE FROM tree WHERE path = 'include/tile.hpp'",
                          "INSERT INTO tree SELECT DISTINCT hash, 'src/more.cpp', 1 FROM tree"}) {
    SCOPED_TRACE(sql);
    const std::filesystem::path before = folder_ / "copy.sqlite";
    std::filesystem::copy_file(file_, before, std::filesystem::copy_options::overwrite_existing);
    rewrite(sql);
    expect_damaged("are not those that it is named for");
    std::filesystem::copy_file(before, file_, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(StoredSources, ABlobOfAnotherContentIsDamage) {
  rewrite("UPDATE blob SET content = (SELECT content FROM blob WHERE number = 4) WHERE number = 2");
  const Submitted one = submit(0, "int text = 0;");
  const std::vector<std::string> hashes = {one.blobs[1].hash};
  const auto contents = open().contents(hashes, 1 << 20);
  ASSERT_FALSE(contents.ok());
  EXPECT_THAT(contents.error().message,
              AllOf(HasSubstr("damaged"), HasSubstr("something else than its name says")));
}

TEST_F(StoredSources, ASizeThatNoneCanHaveIsDamage) {
  rewrite("UPDATE blob SET bytes = 1 << 40");
  const Store store = open(Mode::kReadOnly);
  const auto rows = store.evaluations("r1");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const std::vector<TreeFile>& files = rows->at(0).sources;
  EXPECT_EQ(files.at(0).bytes, 0) << "nobody can tell";
  const std::vector<std::string> hashes = {files.at(0).hash};
  const auto contents = store.contents(hashes, 1 << 20);
  ASSERT_FALSE(contents.ok());
  EXPECT_THAT(contents.error().message,
              AllOf(HasSubstr("damaged"), HasSubstr("a size that none can have")));
}

TEST_F(StoredSources, OneThatIsDamagedIsToldBesideTheOthers) {
  rewrite("UPDATE blob SET content = (SELECT content FROM blob WHERE number = 4) WHERE number = 2");
  const Submitted one = submit(0, "int text = 0;");
  const std::vector<std::string> hashes = {one.blobs[0].hash, one.blobs[1].hash};
  const Store store = open(Mode::kReadOnly);
  const auto contents = store.readable_contents(hashes, 1 << 20);
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  EXPECT_EQ(contents->texts.at(hashes[0]), kSharedHeader);
  EXPECT_THAT(contents->damaged.at(hashes[1]), HasSubstr("something else than its name says"));
  EXPECT_EQ(store.read("r1")->chain.state, ChainFinding::State::kHolds);
}

TEST_F(StoredSources, ADamagedOneIsMendedByWhoeverBringsItAgain) {
  rewrite("UPDATE blob SET content = (SELECT content FROM blob WHERE number = 4) WHERE number = 2");
  const Submitted one = submit(7, "int text = 0;");
  ASSERT_TRUE(open().add(one.evaluation, one.blobs).ok());
  const std::vector<std::string> hashes = {one.blobs[1].hash};
  const auto contents = open().contents(hashes, 1 << 20);
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  EXPECT_EQ(contents->at(hashes[0]), "int text = 0;");
  EXPECT_EQ(count("blob"), 4);
  EXPECT_TRUE(open().evaluations("r1").ok()) << "trees name it as before";
}

TEST_F(StoredSources, ARowIsNotStoredWithoutWhatItNames) {
  Store store = open();
  const Submitted one = submit(7, "int other = 7;");
  const Status without = store.add(one.evaluation);
  ASSERT_FALSE(without.ok());
  EXPECT_THAT(without.error().message, HasSubstr("sources of level1/019_relu are missing"));
  Submitted wrong = one;
  wrong.evaluation.tree_hash = std::string(64, '0');
  EXPECT_FALSE(store.add(wrong.evaluation, wrong.blobs).ok());
  EXPECT_EQ(store.keys("r1")->size(), 3u);
  EXPECT_TRUE(store.add(one.evaluation, one.blobs).ok());
  EXPECT_EQ(store.read("r1")->chain.state, ChainFinding::State::kHolds);
}

TEST_F(StoredSources, RowsFromBeforeHaveNoneAndKeepTheirChain) {
  const auto old_file = folder_ / "old.sqlite";
  {
    SQLite::Database old(old_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(8));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, environment) "
        "VALUES ('old', '', '', '', '{}', '{}')");
    old.exec(
        "INSERT INTO evaluation (run_id, key, task, level, size, device, precision, worker_kind, "
        "state, message, hint, eager_reason, compiled_reason, submission_reason, task_hash, "
        "package_key, sandbox_level, seed, started_at) VALUES ('old', 'k', 'level1/019_relu', 1, "
        "'small', 'cpu', 'fp32', 'native', 'ok', '', '', '', '', '', '', '', '', '', '')");
  }
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    const auto store = Store::open(old_file, mode);
    ASSERT_TRUE(store.ok()) << store.error().message;
    const auto rows = store->evaluations("old");
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_TRUE(rows->at(0).sources.empty());
    EXPECT_EQ(rows->at(0).tree_hash, "");
    EXPECT_EQ(rows->at(0).task_source, "");
  }
}

}  // namespace
}  // namespace kbench
