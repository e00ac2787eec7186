// Patterns of tasks out of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/plan/task_choice.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TaskEntry> entries() {
  std::vector<TaskEntry> found;
  for (const char* id : {"level1/019_relu", "level1/023_softmax", "level3/039_gru"})
    found.push_back(*entry_of_id(id));
  return found;
}

class TaskList : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> read(const std::string& text) {
    return read_task_list(folder_.write("tasks.txt", text), entries());
  }
  std::string error_of(const std::string& text) {
    const auto found = read(text);
    return found ? "read" : found.error().message;
  }

  TemporaryFolder folder_;
};

TEST_F(TaskList, HasALineForEachPattern) {
  EXPECT_THAT(read("# all\nlevel1/019_relu\r\n\n  gru  # slow\n19\nlevel9/*").value(),
              ElementsAre("level1/019_relu", "gru", "19", "level9/*"));
}

TEST_F(TaskList, OneThatNamesNothingIsRefused) {
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("it names no task"));
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "relu\n";
  EXPECT_THAT(error_of(many), HasSubstr("more than 10,000 lines"));
  const auto none = read_task_list(folder_.path() / "none", entries());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  EXPECT_THAT(none.error().message, HasSubstr("there is no such file"));
}

TEST_F(TaskList, ALineThatNamesNoTaskIsFoundByFileAndLine) {
  const std::string file = (folder_.path() / "tasks.txt").string();
  const auto typo = read("# all\nrelu\n\nsoftmx  # mine\n");
  ASSERT_FALSE(typo.ok());
  EXPECT_EQ(typo.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(typo.error().message, file + ":4: no task is called \"softmx\"");
  EXPECT_EQ(typo.error().hint, "did you mean \"softmax\"?");

  const auto blank = read("relu\nsoft max\n");
  ASSERT_FALSE(blank.ok());
  EXPECT_EQ(blank.error().code, ErrorCode::kUsage);
  EXPECT_EQ(blank.error().message, file + ":2: no task is called \"soft max\"");
  EXPECT_EQ(blank.error().hint, "did you mean \"softmax\"?");

  EXPECT_THAT(error_of("\x1b[31mrelu"), HasSubstr(file + ":1: no task is called"));
  EXPECT_THAT(error_of("\x1b[31mrelu"), ::testing::Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace kbench
