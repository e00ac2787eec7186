#include "runner/options/terminal.hpp"

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

}  // namespace
}  // namespace kbench
