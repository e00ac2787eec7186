#include "runner/submission/compiling.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

TEST(FirstErrors, AWarningThatSpeaksOfErrorsComesBeforeNone) {
  const std::string warned =
      "UserWarning: there may be errors with this compiler\n"
      "main.cpp:1:2: warning: 'Wterror' is no option\n";
  const std::string error = "main.cpp:3:4: error: expected ';'\n    3 | int x";
  EXPECT_EQ(first_errors(warned + error), "\n" + error);
  EXPECT_EQ(first_errors(warned + "ld: undefined reference to `f'"),
            "\nld: undefined reference to `f'");
}

TEST(ReadLibrary, ACompilerThatMadeNoneIsToldWithFlagsToLookFor) {
  const test::TemporaryFolder folder;
  const auto none = read_library(folder / "none.so", "the submission");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "the submission compiled, but made no library");
}

TEST(FirstErrors, WithoutOneTheFirstLinesAreTold) {
  EXPECT_EQ(first_errors("no word of it\nnor here"), "\nno word of it\nnor here");
  EXPECT_EQ(first_errors("some text\ninternal error here"), "\ninternal error here");
}

}  // namespace
}  // namespace kbench
