#include "runner/synthesis/contamination.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/graph.hpp"
#include "runner/task/suite.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using Operators = std::vector<std::string>;

// Operators of the shipped tasks at either size, as the lowered files have them.
class ShippedTasksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto suite = list_tasks(kbench::test::kSuites);
    ASSERT_TRUE(suite.ok());
    suite_ = *suite;
    ASSERT_EQ(suite_.size(), 250);
  }

  static Operators operators_of(const TaskEntry& entry, const std::string& size) {
    const auto graph = load_graph(entry.file, size);
    EXPECT_TRUE(graph.ok()) << entry.id;
    Operators operators;
    for (const GraphNode& node : graph->nodes) operators.push_back(node.op);
    return operators;
  }

  // Tasks at one size, as if the other one were unknown.
  [[nodiscard]] std::vector<HeldOutTask> held_out(const std::string& size) const {
    std::vector<HeldOutTask> tasks;
    for (const TaskEntry& entry : suite_)
      tasks.push_back({entry.id, {operator_sequence(operators_of(entry, size))}});
    return tasks;
  }

  std::vector<TaskEntry> suite_;
};

// The same, written by somebody who calls other forms of the operators and moves data in between.
Operators rewritten(const Operators& operators) {
  static const std::map<std::string, std::string> kForms = {
      {"aten::matmul", "aten::bmm"},      {"aten::bmm", "aten::mm"},
      {"aten::clamp_min", "aten::clamp"}, {"aten::clamp", "aten::clamp_max"},
      {"aten::hardtanh", "aten::clamp"},  {"aten::relu6", "aten::hardtanh"},
      {"aten::max", "aten::amax"},        {"aten::sub", "aten::rsub"},
      {"aten::relu", "aten::relu_"},      {"aten::add", "aten::add_"},
      {"aten::mul", "aten::multiply"},    {"aten::div", "aten::true_divide"},
      {"aten::einsum", "aten::matmul"},   {"aten::linalg_vector_norm", "aten::norm"}};
  Operators other;
  for (const std::string& op : operators) {
    const auto form = kForms.find(op);
    other.push_back(form == kForms.end() ? op : form->second);
    other.emplace_back("aten::contiguous");
  }
  other.emplace_back("aten::view");
  return other;
}

TEST_F(ShippedTasksTest, EveryCopyIsFoundHoweverItIsWrittenAndOfWhateverSize) {
  const auto known = held_out("full");
  int dropped = 0;
  for (const TaskEntry& entry : suite_) {
    const Operators full = operators_of(entry, "full");
    for (const Operators& copy : {full, rewritten(full), operators_of(entry, "small")}) {
      const auto found = find_contamination(operator_sequence(copy), known);
      EXPECT_TRUE(found && found->same) << entry.id;
      dropped += found && found->same ? 1 : 0;
    }
  }
  EXPECT_EQ(dropped, 750);
}

// As near to a held-out task as something else can be: one operator more, or another one.
TEST_F(ShippedTasksTest, WhatDiffersIsNotDropped) {
  const auto known = read_held_out(suite_);
  ASSERT_TRUE(known.ok()) << known.error().message;
  int controls = 0;
  for (std::size_t i = 0; i < suite_.size() && controls < 50; i += 5, ++controls) {
    Operators other = operators_of(suite_[i], "full");
    if (controls % 2 == 0) {
      other.emplace_back("aten::cumsum");
    } else {
      other.back() = "aten::asinh";
    }
    const auto found = find_contamination(operator_sequence(other), *known);
    EXPECT_FALSE(found && found->same) << suite_[i].id;
  }
  EXPECT_EQ(controls, 50);
}

TEST(Contamination, SimilarityIsOfThreeInARow) {
  EXPECT_EQ(trigram_similarity({"a", "b", "c"}, {"a", "b", "c"}), 1);
  EXPECT_EQ(trigram_similarity({"a"}, {"b"}), 0);
  EXPECT_EQ(trigram_similarity({}, {}), 0);
  // <ab, abc, bc> against <ab, abd, bd>.
  EXPECT_DOUBLE_EQ(trigram_similarity({"a", "b", "c"}, {"a", "b", "d"}), 1.0 / 5);
}

TEST(Contamination, TheNearestIsNamed) {
  const Operators base = {"a", "b", "c", "d", "e", "f", "g", "h",
                          "i", "j", "k", "l", "m", "n", "o", "p"};
  Operators near = base;
  near.back() = "x";
  Operators nearer = base;
  nearer.emplace_back("q");
  const std::vector<HeldOutTask> known = {{"level1/001_far", {{"z"}}}, {"level2/002_long", {base}}};
  EXPECT_FALSE(find_contamination(near, known));  // 14 of 18
  const auto found = find_contamination(nearer, known);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->task, "level2/002_long");
  EXPECT_FALSE(found->same);
  EXPECT_DOUBLE_EQ(found->similarity, 15.0 / 18);
}

TEST(Contamination, WhatComputesNothingIsLikeNothing) {
  EXPECT_FALSE(find_contamination({}, std::vector<HeldOutTask>{{"level1/001_views", {{}}}}));
}

}  // namespace
}  // namespace kbench
