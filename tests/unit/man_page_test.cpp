#include "runner/options/man_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CommandEntry command_with(const std::string& help, const std::string& footer) {
  CommandEntry top;
  top.help = "Top.";
  CommandEntry sub;
  sub.name = "do";
  sub.help = "Does";
  sub.footer = footer;
  OptionEntry option;
  option.names = {"-o", "--out"};
  option.value = "FILE";
  option.help = help;
  sub.options = {option};
  top.commands = {sub};
  return top;
}

std::string page_with(const std::string& help, const std::string& footer = "") {
  return man_page(command_with(help, footer), {"1.0", "2026-11-25", "Exit codes: 0 good"});
}

TEST(ManPage, OptionsAreTagged) {
  EXPECT_THAT(page_with("Where to"),
              HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\nWhere to\n"));
}

TEST(ManPage, TextCannotBecomeARequest) {
  const std::string page = page_with(".so /etc/passwd", "'nasty\n.sy rm\nback\\slash");
  EXPECT_THAT(page, HasSubstr("\\&.so /etc/passwd"));
  EXPECT_THAT(page, HasSubstr("\\(aqnasty"));
  EXPECT_THAT(page, HasSubstr("\\&.sy rm"));
  EXPECT_THAT(page, HasSubstr("back\\eslash"));
}

TEST(ManPage, LettersBeyondAsciiAreNamed) {
  EXPECT_THAT(page_with("1.00 × → 2"), HasSubstr("1.00 \\[u00D7] \\[u2192] 2"));
}

TEST(ManPage, ExamplesStayAsTheyAreAndProseFlows) {
  const std::string page = page_with("x", "One\nsentence.\n\nExamples:\n  kbench do -o f\n\n");
  EXPECT_THAT(
      page,
      HasSubstr("One\nsentence.\n.PP\nExamples:\n.PP\n.in +4n\n.nf\nkbench do \\-o f\n.fi\n.in\n"));
}

TEST(ManPage, ExitCodesStandOnce) {
  const std::string page = page_with("x", "Words.\n\nExit codes: 0 good");
  EXPECT_EQ(page.find("Exit codes"), page.rfind("Exit codes"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\nExit codes: 0 good"));
}

TEST(ManPage, NothingIsLeftOutOfACommandWithoutAFooter) {
  EXPECT_THAT(page_with("x"), Not(HasSubstr(".PP\n.SH")));
}

}  // namespace
}  // namespace kbench
