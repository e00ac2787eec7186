// Submissions of one agent, with the limits and without them: what is refused is then taken.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "runner/submission/submission.hpp"
#include "tests/fakes/submission_fixture.hpp"

namespace kbench {
namespace {

// Two agents: ann hands in too much, and ben does not.
class AgentLimitsDefence : public testing::Test {
 protected:
  AgentLimitsDefence() { folder_.write("ben/level1/019_relu.cpp", "x"); }
  ~AgentLimitsDefence() override { ::unsetenv("KBENCH_WITHOUT"); }

  // How many of ann's submissions are taken.
  [[nodiscard]] std::size_t taken_of_ann(const AgentLimits& limits) const {
    const auto set = find_submissions(folder_.path(), limits);
    EXPECT_TRUE(set.ok());
    std::size_t anns = 0;
    std::size_t bens = 0;
    for (const Submission& one : set->submissions) ++(one.id.agent == "ann" ? anns : bens);
    EXPECT_EQ(bens, 1u) << "another agent does not notice";
    return anns;
  }
  [[nodiscard]] std::size_t taken_without_limits(const AgentLimits& limits) const {
    ::setenv("KBENCH_WITHOUT", "agent_limits", 1);
    const std::size_t taken = taken_of_ann(limits);
    ::unsetenv("KBENCH_WITHOUT");
    return taken;
  }

  SubmissionFolder folder_;
};

TEST_F(AgentLimitsDefence, AFolderOfCountlessFiles) {
  for (int i = 0; i < 40; ++i) folder_.write("ann/level1/" + std::to_string(i) + ".txt", "");
  folder_.write("ann/level1/019_relu.cpp", "x");
  EXPECT_EQ(taken_of_ann({.entries = 20}), 0u);
  EXPECT_EQ(taken_without_limits({.entries = 20}), 1u);
}

TEST_F(AgentLimitsDefence, AHeaderThatIsReadForEachOfMany) {
  folder_.write("ann/include/big.hpp", std::string(4096, ' '));
  for (const char* name : {"019_relu", "020_leakyrelu", "021_sigmoid"})
    folder_.write(std::string("ann/level1/") + name + ".cpp", "x");
  EXPECT_EQ(taken_of_ann({.source_bytes = 10'000}), 0u);
  EXPECT_EQ(taken_without_limits({.source_bytes = 10'000}), 3u);
}

TEST_F(AgentLimitsDefence, ALotteryOfVariants) {
  for (int i = 0; i < 6; ++i)
    folder_.write("ann/level1/019_relu@" + std::to_string(i) + ".cpp", "x");
  EXPECT_EQ(taken_of_ann({.submissions_a_task = 5}), 0u);
  EXPECT_EQ(taken_without_limits({.submissions_a_task = 5}), 6u);
}

}  // namespace
}  // namespace kbench
