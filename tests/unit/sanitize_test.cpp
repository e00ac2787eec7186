#include "reports/facts/sanitize.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Sanitize, WidthIsInColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("1.92× ▲"), 7u);
  EXPECT_EQ(display_width("尺寸"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);
  EXPECT_EQ(pad_right("尺", 4), "尺  ");
  EXPECT_EQ(pad_left("×", 3), "  ×");
  EXPECT_EQ(pad_left("long", 3), "long");
}

TEST(Sanitize, LongTextIsShortenedAtAWholeCharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde…");
  EXPECT_EQ(shorten("尺寸尺寸", 6), "尺寸…");
  EXPECT_EQ(shorten("ééééé", 3), "éé…");
}

TEST(Sanitize, HtmlIsEscaped) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>\x1b"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;\\x1b");
}

TEST(Sanitize, ShellWordsAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_word("level1/019_relu"), "level1/019_relu");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $(rm)"), "'it'\\''s $(rm)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace kbench
