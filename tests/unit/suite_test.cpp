#include "runner/task/suite.hpp"

#include <sys/stat.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/task.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ids(const std::vector<TaskEntry>& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) result.push_back(entry.id);
  return result;
}

std::string head(const std::string& title) {
  return R"({"schema": "kbench-task/1", "level": 1, "title": ")" + title + R"(", "sizes": {)";
}

class Suite : public ::testing::Test {
 protected:
  Suite() {
    folder_.write("level1/019_relu.json", head("Rectifier."));
    folder_.write("level1/001_matmul.json", head("Product."));
    folder_.write("level2/076_gemm_add_relu.json", head("Fusion."));
    folder_.write("level10/003_giant.json", head("Large."));
    folder_.write("level1/019_relu.py", "");
    folder_.write("level1/notes.json", "{}");
    folder_.write("FORMAT.md", "");
    folder_.write("leveled/001_no.json", head("Not a level."));
  }

  std::vector<TaskEntry> entries() {
    auto listed = list_tasks(folder_.path());
    EXPECT_TRUE(listed.ok());
    return *listed;
  }

  std::vector<std::string> select(const std::vector<int>& levels,
                                  const std::vector<std::string>& patterns) {
    const auto selected = select_tasks(entries(), levels, patterns);
    EXPECT_TRUE(selected.ok()) << selected.error().message;
    return selected.ok() ? ids(*selected) : std::vector<std::string>{};
  }

  TemporaryFolder folder_;
};

TEST_F(Suite, ANumberIsATaskWithOrWithoutItsZeros) {
  for (const char* number : {"19", "019"})
    EXPECT_THAT(select({}, {number}), ElementsAre("level1/019_relu")) << number;
}

// KernelBench's file is 19_ReLU.py. Was: "did you mean 019_relu?"
TEST_F(Suite, ATaskHasTheNameOfKernelBenchsFileToo) {
  for (const char* pattern : {"19_ReLU", "019_ReLU", "ReLU", "level1/19_ReLU", "Level1/019_relu"})
    EXPECT_THAT(select({}, {pattern}), ElementsAre("level1/019_relu")) << pattern;
  EXPECT_FALSE(select_tasks(entries(), {}, {"9_ReLU"}).ok());
}

// KernelBench calls it level 1, problem 19.
TEST_F(Suite, ALevelAndANumberAreATask) {
  for (const char* pattern : {"level1/19", "level1/019"})
    EXPECT_THAT(select({}, {pattern}), ElementsAre("level1/019_relu")) << pattern;
  EXPECT_THAT(select({}, {"level10/3"}), ElementsAre("level10/003_giant"));
  for (const char* pattern : {"level2/19", "level1/", "level1/19x", "1/19"})
    EXPECT_FALSE(select_tasks(entries(), {}, {pattern}).ok()) << pattern;
}

TEST_F(Suite, ListsInOrderOfLevelAndNumber) {
  const auto listed = entries();
  EXPECT_THAT(ids(listed), ElementsAre("level1/001_matmul", "level1/019_relu",
                                       "level2/076_gemm_add_relu", "level10/003_giant"));
  EXPECT_EQ(listed[1].title, "Rectifier.");
  EXPECT_EQ(listed[1].level, 1);
  EXPECT_EQ(listed[1].number, 19);
  EXPECT_EQ(listed[1].name, "relu");
  EXPECT_EQ(listed[1].problem, "");
}

// The files above end right after "sizes": what follows is neither read nor needed.
TEST_F(Suite, OneBadFileDoesNotHideTheOthers) {
  folder_.write("level1/002_bad.json", "{\"schema\": ");
  folder_.write("level1/003_empty.json", "");
  folder_.write("level1/004_future.json", R"({"schema": "kbench-task/2", "sizes": {)");
  folder_.write("level1/005_nested.json", R"({"title": {"a": {"sizes": 1}}, "sizes": {)");
  folder_.write("level1/006_array.json", R"([{"sizes": 1}])");
  ASSERT_EQ(::mkfifo((folder_.path() / "level1/007_pipe.json").c_str(), 0600), 0);
  const auto listed = entries();
  ASSERT_EQ(listed.size(), 10U);
  EXPECT_EQ(listed[0].problem, "");
  EXPECT_THAT(listed[1].problem, HasSubstr("not a lowered task"));
  EXPECT_THAT(listed[2].problem, HasSubstr("empty"));
  EXPECT_THAT(listed[3].problem, HasSubstr("kbench-task/2"));
  EXPECT_THAT(listed[4].problem, HasSubstr("not a lowered task"));
  EXPECT_THAT(listed[5].problem, HasSubstr("not a lowered task"));
  EXPECT_EQ(listed[6].problem, "no regular file");
}

// A reason's key may be any word, and is none of the head's own.
TEST_F(Suite, TheHeadMayHoldReasons) {
  folder_.write("level1/020_reasons.json",
                R"({"schema": "kbench-task/1", "title": "T.",)"
                R"( "lint_accepts": {"sizes": "why", "title": "why"}, "sizes": {)");
  const auto listed = entries();
  ASSERT_EQ(listed.size(), 5U);
  EXPECT_EQ(listed[2].problem, "");
  EXPECT_EQ(listed[2].title, "T.");
}

TEST_F(Suite, MissingFolderIsAnError) {
  const auto listed = list_tasks(folder_.path() / "nowhere");
  ASSERT_FALSE(listed.ok());
  EXPECT_EQ(listed.error().code, ErrorCode::kUsage);
  EXPECT_THAT(listed.error().message, HasSubstr("nowhere"));
}

TEST_F(Suite, SelectsByLevel) {
  EXPECT_EQ(select({}, {}).size(), 4U);
  EXPECT_THAT(select({1}, {}), ElementsAre("level1/001_matmul", "level1/019_relu"));
  EXPECT_THAT(select({10, 2}, {}), ElementsAre("level2/076_gemm_add_relu", "level10/003_giant"));
  EXPECT_THAT(select({7}, {}), IsEmpty());
}

TEST_F(Suite, SelectsByIdNumberNameAndGlob) {
  EXPECT_THAT(select({}, {"level1/019_relu"}), ElementsAre("level1/019_relu"));
  EXPECT_THAT(select({}, {"019_relu"}), ElementsAre("level1/019_relu"));
  EXPECT_THAT(select({}, {"019"}), ElementsAre("level1/019_relu"));
  EXPECT_THAT(select({}, {"relu"}), ElementsAre("level1/019_relu"));
  EXPECT_THAT(select({}, {"*relu"}), ElementsAre("level1/019_relu", "level2/076_gemm_add_relu"));
  EXPECT_THAT(select({}, {"level1/*"}), ElementsAre("level1/001_matmul", "level1/019_relu"));
  EXPECT_THAT(select({}, {"level1*"}), IsEmpty());  // without a slash it is no id
  EXPECT_THAT(select({2}, {"*relu"}), ElementsAre("level2/076_gemm_add_relu"));
  EXPECT_THAT(select({}, {"giant", "matmul"}),
              ElementsAre("level1/001_matmul", "level10/003_giant"));
  EXPECT_THAT(select({}, {"nothing*"}), IsEmpty());
}

TEST_F(Suite, UnknownNameSuggestsTheNearest) {
  const auto id = select_tasks(entries(), {}, {"level1/019_rellu"});
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(id.error().message, HasSubstr("level1/019_rellu"));
  EXPECT_EQ(id.error().hint, "did you mean \"level1/019_relu\"?");
  const auto name = select_tasks(entries(), {}, {"matmull"});
  ASSERT_FALSE(name.ok());
  EXPECT_EQ(name.error().hint, "did you mean \"matmul\"?");
  const auto numbered = select_tasks(entries(), {}, {"19_RLU"});
  ASSERT_FALSE(numbered.ok());
  EXPECT_EQ(numbered.error().hint, "did you mean \"019_relu\"?");
  const auto far = select_tasks(entries(), {}, {"zzzzzzzzzz"});
  ASSERT_FALSE(far.ok());
  EXPECT_THAT(far.error().hint, HasSubstr("kbench tasks list"));
  EXPECT_EQ(nearest_task("level1/019_rellu*", entries()), "level1/019_relu");
  EXPECT_EQ(nearest_task("*matmull*", entries()), "matmul");
  EXPECT_EQ(nearest_task("level9/*", entries()), std::nullopt);
  EXPECT_EQ(nearest_task("levl1/19", entries()), "level1/19");
}

TEST(UnrankedTasks, AreThoseThatAcceptAFlawByWhichNothingPasses) {
  for (const char* kind : {"stale", "zeros", "constant", "mean", "previous"}) {
    const std::string why = why_unranked({{"half", "noise"}, {kind, "the output is 0"}});
    EXPECT_NE(why.find(kind), std::string::npos) << why;
    EXPECT_NE(why.find("the output is 0"), std::string::npos) << why;
  }
  EXPECT_EQ(why_unranked({{"half", "a"}, {"operator", "b"}, {"identity", "c"}}), "");
  EXPECT_EQ(why_unranked({}), "");
}

}  // namespace
}  // namespace kbench
