#include "reports/sanitize.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Sanitize, ControlCharactersBecomeVisible) {
  EXPECT_EQ(sanitize_line("a\x1b[31mb\x7f\r\a"), "a\\x1b[31mb\\x7f\\x0d\\x07");
  EXPECT_EQ(sanitize_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(sanitize_line("\xc2\x9b"), "\\x9b") << "the C1 form of ESC [";
}

TEST(Sanitize, LineBreaksAreKeptInTextsAndShownInLines) {
  EXPECT_EQ(sanitize_text("a\n\tb"), "a\n    b");
  EXPECT_EQ(sanitize_line("a\n\tb"), "a\\n b");
}

TEST(Sanitize, BidirectionalAndInvisibleCharactersBecomeVisible) {
  EXPECT_EQ(sanitize_line("x\xe2\x80\xaey\xe2\x81\xa6z\xe2\x80\x8b"), "x\\u202ey\\u2066z\\u200b");
  EXPECT_EQ(sanitize_line("\xef\xbb\xbf\xf3\xa0\x81\x81"), "\\ufeff\\ue0041");
}

TEST(Sanitize, WhatIsNotUtf8BecomesVisible) {
  EXPECT_EQ(sanitize_line("\xff"), "\\xff");
  EXPECT_EQ(sanitize_line("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(sanitize_line("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(sanitize_line("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(sanitize_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past U+10FFFF";
  EXPECT_EQ(sanitize_line("\xe2\x80"), "\\xe2\\x80") << "cut off";
}

TEST(Sanitize, OrdinaryTextStays) {
  const std::string text = "Größe 尺寸 😀 µs ×";
  EXPECT_EQ(sanitize_line(text), text);
}

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
