#include "runner/task/task_tags.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> selected(const std::vector<std::string>& tags) {
  const auto entries = list_tasks(kbench::test::kTinySuites);
  if (!entries) return {entries.error().message};
  const auto tagged = with_tags(*entries, tags);
  if (!tagged) return {tagged.error().message, tagged.error().hint};
  std::vector<std::string> ids;
  for (const TaskEntry& entry : *tagged) ids.push_back(entry.id);
  return ids;
}

TEST(TaskTags, AreTheFamiliesOfATasksOperators) {
  EXPECT_THAT(selected({"matmul"}),
              ElementsAre("level1/001_square_matrix_multiplication", "level2/076_gemm_add_relu"));
  EXPECT_THAT(selected({"activation"}), Contains("level1/019_relu"));
  EXPECT_THAT(selected({"activation"}), Not(Contains("level1/001_square_matrix_multiplication")));
  EXPECT_THAT(selected({"scan"}), IsEmpty());
}

TEST(TaskTags, SeveralSelectWhatHasAnyOfThem) {
  EXPECT_EQ(selected({"scan", "matmul"}), selected({"matmul"}));
  EXPECT_GT(selected({}).size(), selected({"matmul"}).size()) << "without any, all tasks are";
}

TEST(TaskTags, AnUnknownOneIsAnErrorWithTheNearest) {
  EXPECT_THAT(selected({"matmull"}), ElementsAre(HasSubstr("no task has the tag \"matmull\""),
                                                 HasSubstr("did you mean \"matmul\"?")));
}

// Its name says what its file cannot.
TEST(TaskTags, ATaskThatCannotBeReadHasThoseOfItsName) {
  TaskEntry entry;
  entry.id = "level1/019_relu";
  entry.file = "/no/such/file.json";
  EXPECT_THAT(tags_of(entry), ElementsAre("activation"));
}

}  // namespace
}  // namespace kbench
