#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/options/completions.hpp"

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

TEST(Names, TheLineSaysWhoseNamesAreMeant) {
  const auto value = [](const std::vector<std::string>& line) {
    return value_on_line(line, "--db").value_or("none");
  };
  EXPECT_EQ(value({"report", "--db", "x.sqlite"}), "x.sqlite");
  EXPECT_EQ(value({"report", "--db=x.sqlite"}), "x.sqlite");
  EXPECT_EQ(value({"report", "--db", "=", "x.sqlite"}), "x.sqlite");
  EXPECT_EQ(value({"--db", "a", "--db", "b"}), "b") << "the last one counts";
  for (const auto& line : {std::vector<std::string>{"report"}, {"--db"}, {"--db", ""}, {"--db="}})
    EXPECT_EQ(value(line), "none");
}

}  // namespace
}  // namespace kbench
