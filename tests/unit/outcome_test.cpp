#include "runner/cli/outcome.hpp"

#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

std::string captured(const std::function<void(std::FILE*)>& print) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  print(stream);
  std::fclose(stream);
  std::string result(text, size);
  std::free(text);
  return result;
}

TEST(Outcome, ExitCodesArePinned) {
  EXPECT_EQ(to_int(ExitCode::kGood), 0);
  EXPECT_EQ(to_int(ExitCode::kTaskFailed), 1);
  EXPECT_EQ(to_int(ExitCode::kUsage), 2);
  EXPECT_EQ(to_int(ExitCode::kInfrastructure), 3);
  EXPECT_EQ(to_int(ExitCode::kRegression), 4);
  EXPECT_EQ(to_int(ExitCode::kNothingSelected), 5);
  EXPECT_EQ(to_int(ExitCode::kInterrupted), 130);
}

TEST(Outcome, FailureSaysWhatWhereAndWhatNext) {
  const auto text = captured([](std::FILE* stream) {
    const Error error{ErrorCode::kNotFound, "no task is called \"rellu\"",
                      "did you mean \"relu\"?"};
    EXPECT_EQ(fail(error, Terminal{}, stream), 5);
  });
  EXPECT_EQ(text,
            "error: no task is called \"rellu\"\n"
            "hint:  did you mean \"relu\"?\n"
            "kbench: nothing was selected (exit code 5)\n");
}

TEST(Outcome, TheClosingLineIsCleaned) {
  const auto text = captured([](std::FILE* stream) {
    EXPECT_EQ(finish(ExitCode::kGood, "run \x1b]0;x\x07 saved\nhere", 0, stream), 0);
  });
  EXPECT_EQ(text, "kbench: run ?]0;x? saved here\n");
}

TEST(Outcome, LinesOfOneMessageStayTogetherAndHarmless) {
  const auto text = captured([](std::FILE* stream) {
    EXPECT_EQ(fail({ErrorCode::kInfrastructure, "one\ntwo\x1b[2J", ""}, Terminal{}, stream), 3);
  });
  EXPECT_TRUE(text.starts_with("error: one\n       two?[2J\nkbench: ")) << text;
}

TEST(Outcome, QuietHidesOnlySuccess) {
  EXPECT_EQ(captured([](std::FILE* s) { EXPECT_EQ(finish(ExitCode::kGood, "12 tasks", 0, s), 0); }),
            "kbench: 12 tasks\n");
  EXPECT_EQ(
      captured([](std::FILE* s) { EXPECT_EQ(finish(ExitCode::kGood, "12 tasks", -1, s), 0); }), "");
  EXPECT_EQ(captured([](std::FILE* s) {
              EXPECT_EQ(finish(ExitCode::kNothingSelected, "nothing", -1, s), 5);
            }),
            "kbench: nothing (exit code 5)\n");
}

}  // namespace
}  // namespace kbench
