#include "runner/cli/terminal.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TerminalEnvironment environment(bool no_color, bool force_color, const std::string& term) {
  return {no_color, force_color, term};
}

TEST(UseColor, OptionThenVariablesThenTerminal) {
  const auto plain = environment(false, false, "xterm");
  EXPECT_TRUE(use_color(ColorMode::kAuto, plain, true));
  EXPECT_FALSE(use_color(ColorMode::kAuto, plain, false));
  EXPECT_FALSE(use_color(ColorMode::kAuto, environment(false, false, "dumb"), true));
  EXPECT_FALSE(use_color(ColorMode::kAuto, environment(false, false, ""), true));
  EXPECT_FALSE(use_color(ColorMode::kAuto, environment(true, true, "xterm"), true));
  EXPECT_TRUE(use_color(ColorMode::kAuto, environment(false, true, ""), false));
  EXPECT_TRUE(use_color(ColorMode::kAlways, environment(true, false, "dumb"), false));
  EXPECT_FALSE(use_color(ColorMode::kNever, environment(false, true, "xterm"), true));
}

TEST(Paint, OnlyWithColor) {
  Terminal terminal;
  EXPECT_EQ(terminal.paint(Color::kRed, "x"), "x");
  terminal.color = true;
  EXPECT_EQ(terminal.paint(Color::kRed, "x"), "\x1b[31mx\x1b[0m");
}

TEST(Printable, RemovesWhatSteersATerminal) {
  EXPECT_EQ(printable("plain, \xc3\xbcml\xc3\xa4ut \xe2\x82\xac \xf0\x9f\x98\x80"),
            "plain, \xc3\xbcml\xc3\xa4ut \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\x1b[31mb\x07\x7f"), "a?[31mb??");
  EXPECT_EQ(printable("a\nb\tc\r"), "a b c?");
  EXPECT_EQ(printable("\xc2\x9b"), "?");      // C1 control: CSI in one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "?");  // right-to-left override
  EXPECT_EQ(printable("\xff\xc3"), "??");     // not UTF-8
}

}  // namespace
}  // namespace kbench
