#include "runner/feedback/component.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/feedback/command_report.hpp"
#include "runner/feedback/row_report.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Component, IsBuiltInOrACommandWithAName) {
  EXPECT_EQ(find_component("error")->command, "");
  const auto own = find_component("lint=/usr/bin/lint -q");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->name, "lint");
  EXPECT_EQ(own->command, "/usr/bin/lint -q");
  EXPECT_NE(find_component("lint=/usr/bin/lint")->version, own->version);
  for (const char* word : {"", "lint", "=x", "a b=x", "error=x", "x=", "x=a\nb", "a,b=x"})
    EXPECT_FALSE(find_component(word).ok()) << word;
}

TEST(Component, AListIsOfBuiltInOnes) {
  EXPECT_THAT(*built_in_components("error,profiler"), SizeIs(2));
  EXPECT_THAT(*built_in_components("debugger,analyzer"), SizeIs(2));
  EXPECT_THAT(*built_in_components("none"), SizeIs(0));
  for (const char* list : {"", "error,", "error,error", "x=y", "error,none"})
    EXPECT_FALSE(built_in_components(list).ok()) << list;
}

TEST(Component, AnswersWhereItHasSomethingToSay) {
  const auto answers = [](const char* word, const char* kind) {
    return answers_in(*find_component(word), kind);
  };
  EXPECT_TRUE(answers("error", "not built") && answers("error", "wrong"));
  EXPECT_FALSE(answers("error", "correct"));
  EXPECT_FALSE(answers("profiler", "not built"));
  EXPECT_TRUE(answers("profiler", "wrong") && answers("profiler", "correct"));
  EXPECT_FALSE(answers("debugger", "not built"));
  EXPECT_TRUE(answers("debugger", "wrong") && answers("debugger", "correct"));
  EXPECT_TRUE(answers("analyzer", "not built") && answers("analyzer", "correct"));
  EXPECT_TRUE(answers("own=x", "not built") && answers("own=x", "correct"));
}

TEST(Component, ReadsARowOrTheKernelOrIsACommand) {
  const auto reads = [](const char* word) {
    const Component one = *find_component(word);
    return std::pair(reads_row(one), reads_kernel(one));
  };
  EXPECT_EQ(reads("error"), std::pair(true, false));
  EXPECT_EQ(reads("analyzer"), std::pair(false, true));
  EXPECT_EQ(reads("own=x"), std::pair(false, false));
}

TEST(RowReport, SaysWhatTheJudgeSaid) {
  Evaluation row;
  row.state = State::kCompileError;
  row.message = "expected ';' in line 3";
  row.hint = "look there";
  EXPECT_EQ(row_report(*find_component("error"), row),
            "compile_error: expected ';' in line 3\nlook there");
  row.state = State::kOk;
  row.correct = true;
  EXPECT_THAT(row_report(*find_component("error"), row), HasSubstr("right"));
  EXPECT_THAT(row_report(*find_component("profiler"), row), HasSubstr("not timed"));
}

class CommandReportTest : public ::testing::Test {
 protected:
  CommandReport say(const std::string& command,
                    std::chrono::milliseconds patience = std::chrono::seconds{30}) {
    const auto report =
        command_report(*sandbox_, *find_component("own=" + command), {{"task", "t"}}, patience);
    EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
    return report ? *report : CommandReport{};
  }
  const std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
};

TEST_F(CommandReportTest, GetsTheStateAndIsHeard) {
  const CommandReport report = say("cat");
  EXPECT_EQ(report.status, "answered");
  EXPECT_EQ(report.text, R"({"task":"t"})");
  EXPECT_EQ(say("true").text, "Nothing was found.");
}

TEST_F(CommandReportTest, WhateverItDoesCostsItsReportOnly) {
  EXPECT_EQ(say("exit 3").status, "exit 3");
  EXPECT_EQ(say("kill -9 $$").status, "signal 9");
  EXPECT_EQ(say("while true; do true; done", std::chrono::milliseconds{300}).status, "timeout");
  const CommandReport flood = say("head -c 1000000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(flood.status, "answered");
  EXPECT_LE(flood.text.size(), kMostSpoken + 60);
  EXPECT_THAT(flood.text, ::testing::EndsWith("[cut: it printed more than 64 KiB]"));
}

TEST_F(CommandReportTest, WhoForksWithoutEndIsTold) {
  const CommandReport report = say("bomb() { bomb | bomb & }; bomb; wait; exit 3");
  EXPECT_NE(report.status, "answered");
  EXPECT_THAT(report.text, HasSubstr("own"));
}

TEST_F(CommandReportTest, WhatIsPrintedIsCleaned) {
  EXPECT_EQ(say("printf 'a\\033[31mb'").text, "a\\x1B[31mb");
}

}  // namespace
}  // namespace kbench
