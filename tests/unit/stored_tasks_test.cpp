// Tasks by patterns among those that rows are stored of.
#include "runner/again/stored_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/database_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using test::make_evaluation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Evaluation row_of(const std::string& task, int number) {
  Evaluation row = make_evaluation("aa", number, 2);
  row.task = task;
  return row;
}

class StoredTasks : public DatabaseTest {
 protected:
  StoredTasks() {
    add({.id = "aa", .rows = 1, .samples = 2, .finished = false});
    Result<Store> store = Store::open(file_, Store::Mode::kReadWrite);
    store->use(test::test_key());
    EXPECT_TRUE(store->add(row_of("level1/023_softmax", 7)).ok());
    EXPECT_TRUE(store->add(row_of("level3/039_gru", 8)).ok());
  }
  Result<std::string> find(const std::string& pattern) {
    const auto store = Store::open(file_, Store::Mode::kReadOnly);
    return find_stored_task(*store, pattern);
  }
};

TEST_F(StoredTasks, AreMeantByIdNameOrNumber) {
  EXPECT_EQ(find("level3/039_gru").value(), "level3/039_gru");
  EXPECT_EQ(find("gru").value(), "level3/039_gru");
  EXPECT_EQ(find("19").value(), "level1/019_relu");
}

TEST_F(StoredTasks, OneThatMeansSeveralNamesThem) {
  const auto found = find("level1/*");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_THAT(found.error().message, HasSubstr("matches 2 tasks"));
  EXPECT_THAT(found.error().hint, HasSubstr("level1/019_relu, level1/023_softmax"));
}

TEST_F(StoredTasks, OneThatIsNotStoredIsNotFound) {
  EXPECT_EQ(find("level2/*").error().code, ErrorCode::kNotFound);
}

TEST_F(StoredTasks, OfRowsAreAllUnlessPatternsSelect) {
  const std::vector<Evaluation> rows = {row_of("level1/019_relu", 1), row_of("level3/039_gru", 2)};
  EXPECT_THAT(stored_tasks_meant(rows, {}).value(),
              ElementsAre("level1/019_relu", "level3/039_gru"));
  EXPECT_THAT(stored_tasks_meant(rows, {"gru"}).value(), ElementsAre("level3/039_gru"));
}

TEST_F(StoredTasks, ATaskThatOtherRowsAreOfIsNotCalledUnknown) {
  const std::vector<Evaluation> rows = {row_of("level1/019_relu", 1), row_of("level3/039_gru", 2)};
  const auto found = stored_tasks_meant(rows, {"level1/020_leakyrelu"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(found.error().message, "no row is of a task \"level1/020_leakyrelu\"");
  EXPECT_EQ(found.error().hint, "there are rows of level1/019_relu, level3/039_gru");
}

TEST_F(StoredTasks, AnAgentWithoutARowIsNotFound) {
  std::vector<Evaluation> rows = {row_of("level1/019_relu", 1)};
  rows[0].submission.emplace().agent = "alice";
  const kbench::Run run = test::make_run("aa");
  EXPECT_TRUE(check_stored_agent(run, rows, std::nullopt).ok());
  EXPECT_TRUE(check_stored_agent(run, rows, "alice").ok());
  const auto misspelt = check_stored_agent(run, rows, "alcie");
  ASSERT_FALSE(misspelt.ok());
  EXPECT_EQ(misspelt.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(misspelt.error().hint, "did you mean \"alice\"?");
  EXPECT_THAT(check_stored_agent(run, {}, "bob").error().hint, HasSubstr("leave --agent out"));
}

}  // namespace
}  // namespace kbench
