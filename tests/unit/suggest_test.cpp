#include "runner/core/suggest.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("levle", "level"), 1U);
  EXPECT_EQ(edit_distance("RELU", "relu"), 0U);
}

TEST(Nearest, FindsTyposAndLeavesStrangersAlone) {
  const std::vector<std::string> known = {"run", "tasks", "report", "doctor"};
  EXPECT_EQ(nearest("taks", known), "tasks");
  EXPECT_EQ(nearest("reprot", known), "report");
  EXPECT_EQ(nearest("Run", known), "run");
  EXPECT_EQ(nearest("banana", known), std::nullopt);
  EXPECT_EQ(nearest("x", known), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

}  // namespace
}  // namespace kbench
