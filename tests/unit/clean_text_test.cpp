#include "runner/os/clean_text.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(CleanText, SpellsOutWhatActsOnAReader) {
  EXPECT_EQ(clean_text("a\tb\nc", 100), "a\tb\nc");
  EXPECT_EQ(clean_name("a\tb\nc"), "a\\x09b\\x0Ac");
  EXPECT_EQ(clean_text("\x1b[31m", 100), "\\x1B[31m");
  EXPECT_EQ(clean_text("\u202Ex", 100), "\\xE2\\x80\\xAEx");
  EXPECT_EQ(clean_text("naïve \u2019", 100), "naïve \u2019");
  EXPECT_EQ(clean_text("\xff\xc0\xaf\xed\xa0\x80", 100), "\\xFF\\xC0\\xAF\\xED\\xA0\\x80");
  EXPECT_EQ(clean_text("\xe2\x80", 100), "\\xE2\\x80");
  EXPECT_LE(clean_text(std::string(1 << 20, 'x'), 100).size(), 110u);
}

TEST(LastWords, AreTheLastLineThatIsNotBlank) {
  EXPECT_EQ(last_words("Traceback:\n  deep\nOSError: no \x1b[1mroom\n\n"),
            "OSError: no \\x1B[1mroom");
  EXPECT_EQ(last_words("only this"), "only this");
  EXPECT_EQ(last_words("said\n \r\n"), "said");
  EXPECT_EQ(last_words("\n\n"), "");
  EXPECT_EQ(last_words(""), "");
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

// One set of characters, whoever asks and however they are written.
TEST(CleanText, EveryNotationHasTheSameSet) {
  for (const char* unsafe : {"\u00ad", "\u061c", "\u180e", "\u200b", "\u2028", "\u2064", "\ufff9",
                             "\uffff", "\U000e0041", "\U0001fffe"}) {
    EXPECT_TRUE(clean_name(unsafe).starts_with("\\x")) << clean_name(unsafe);
    EXPECT_TRUE(clean_text(unsafe, 100).starts_with("\\x")) << clean_name(unsafe);
    EXPECT_TRUE(sanitize_line(unsafe).starts_with("\\")) << clean_name(unsafe);
    EXPECT_EQ(printable(unsafe), "?") << clean_name(unsafe);
  }
}

}  // namespace
}  // namespace kbench
