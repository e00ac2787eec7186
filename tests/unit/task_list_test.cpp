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

TEST(TaskList, HasALineForEachPattern) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      read_task_list(folder.write("tasks.txt", "# all\nlevel1/019_relu\r\n\n  gru  # slow\n19"))
          .value(),
      ElementsAre("level1/019_relu", "gru", "19"));
}

TEST(TaskList, OneThatNamesNothingOrNoTaskIsRefused) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) {
    const auto read = read_task_list(folder.write("tasks.txt", text));
    return read ? "read" : read.error().message;
  };
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("it names no task"));
  EXPECT_THAT(error_of("relu\nsoft max\n"), HasSubstr("line 2 names no task"));
  EXPECT_THAT(error_of("\x1b[31mrelu"), HasSubstr("line 1 names no task"));
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "relu\n";
  EXPECT_THAT(error_of(many), HasSubstr("more than 10,000 lines"));
  const auto none = read_task_list(folder / "none");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  EXPECT_THAT(none.error().message, HasSubstr("there is no such file"));
}

}  // namespace
}  // namespace kbench
