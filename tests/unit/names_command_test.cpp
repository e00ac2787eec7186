#include "runner/cli/names_command.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Names, APlainWordMeansNothingToAShell) {
  for (const char* word : {"level1/019_relu", "3f9a", "latest", "release-1.2", "me@v2", "a+b"})
    EXPECT_TRUE(is_plain_word(word)) << word;
  for (const char* word : {"", "-rf", "--db", "$(id)", "`id`", "a b", "a;b", "a\nb", "*", "a\"b",
                           "a'b", "\x1b[31m", "{a,b}", "a|b", "\xc3\xa4"})
    EXPECT_FALSE(is_plain_word(word)) << word;
  EXPECT_FALSE(is_plain_word(std::string(201, 'a')));
}

}  // namespace
}  // namespace kbench
