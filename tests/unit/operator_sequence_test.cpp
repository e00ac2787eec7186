#include "runner/synthesis/operator_sequence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

OperatorSequence of(const std::vector<std::string>& operators) {
  return operator_sequence(operators);
}

std::vector<std::string> repeated(const std::vector<std::string>& block, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.insert(all.end(), block.begin(), block.end());
  return all;
}

TEST(OperatorSequence, KeepsWhatComputesInItsOrder) {
  EXPECT_THAT(of({"aten::linear", "aten::relu", "aten::softmax"}),
              ElementsAre("linear", "relu", "softmax"));
}

TEST(OperatorSequence, LeavesOutWhatMovesData) {
  EXPECT_THAT(of({"aten::transpose", "aten::contiguous", "aten::view", "aten::zeros"}), IsEmpty());
  EXPECT_THAT(of({"aten::cat", "aten::pad", "aten::index"}), ElementsAre("cat", "pad", "index"));
}

TEST(OperatorSequence, SpellingsOfTheSameAreOne) {
  EXPECT_EQ(of({"aten::mm"}), of({"aten::bmm"}));
  EXPECT_EQ(of({"aten::clamp_min"}), of({"aten::hardtanh"}));
  EXPECT_EQ(of({"aten::add_"}), of({"aten::add"}));
  EXPECT_EQ(of({"aten::__and__"}), OperatorSequence{"__and__"});
}

TEST(OperatorSequence, HowOftenALoopRunsDoesNotCount) {
  const std::vector<std::string> step = {"aten::linear", "aten::add", "aten::tanh"};
  EXPECT_THAT(of(repeated(step, kUnrolled)), ElementsAre("linear", "add", "tanh"));
  EXPECT_EQ(of(repeated(step, 20)), of(repeated(step, 300)));
}

// A network's depth is its own.
TEST(OperatorSequence, FewRepetitionsCount) {
  EXPECT_EQ(of(repeated({"aten::conv2d", "aten::relu"}, kUnrolled - 1)).size(), 14);
}

TEST(OperatorSequence, WhatStandsAroundALoopStays) {
  auto operators = repeated({"aten::linear", "aten::tanh"}, 9);
  operators.insert(operators.begin(), "aten::embedding");
  operators.emplace_back("aten::softmax");
  EXPECT_THAT(of(operators), ElementsAre("embedding", "linear", "tanh", "softmax"));
}

}  // namespace
}  // namespace kbench
