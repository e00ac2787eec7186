#include "runner/gate/shapes/message_lines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Lines of `text`, read in pieces of `piece` bytes, if a line may have four.
std::vector<std::string> lines_of(std::string_view text, std::size_t piece) {
  std::vector<std::string> lines;
  MessageLines reader(4);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    reader.add(text.substr(0, piece), [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

class MessageLinesInPieces : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MessageLinesInPieces, AreWholeHoweverTheyCome) {
  EXPECT_THAT(lines_of("ab\n\nabcd\nc", GetParam()), ElementsAre("ab", "", "abcd"));
}

// The rest of a long line was read as further messages.
TEST_P(MessageLinesInPieces, OfALongOneNothingElseIsAMessage) {
  EXPECT_THAT(lines_of("abcdefghijklm\nab\n", GetParam()), ElementsAre("abcde", "ab"));
  EXPECT_THAT(lines_of("abcde\nab\n", GetParam()), ElementsAre("abcde", "ab"));
  EXPECT_THAT(lines_of("abcdefghijklm", GetParam()), ElementsAre("abcde"));
}

INSTANTIATE_TEST_SUITE_P(Pieces, MessageLinesInPieces, ::testing::Values(1, 2, 3, 5, 100));

TEST(MessageLines, WhatHasNotEndedIsNoMessageYet) { EXPECT_THAT(lines_of("abc", 1), IsEmpty()); }

}  // namespace
}  // namespace kbench
