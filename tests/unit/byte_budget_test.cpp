// Order of waiting: whose body may be read, and whose has to wait.
#include "runner/gate/byte_budget.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace kbench {
namespace {

class ByteBudgetTest : public ::testing::Test {
 protected:
  using Hold = std::shared_ptr<ByteBudget::Hold>;

  // Asks for bytes, and returns the number in the line; the hold is in holds_ once it is granted.
  std::uint64_t ask(const std::string& name, const std::string& owner, std::size_t bytes) {
    return budget_->ask(owner, bytes, [this, name](Hold hold) { holds_[name] = std::move(hold); });
  }
  // Given back; whoever is granted room by that comes into holds_ meanwhile.
  void drop(const std::string& name) { (void)holds_.extract(name); }
  [[nodiscard]] bool has(const std::string& name) const { return holds_.contains(name); }

  std::shared_ptr<ByteBudget> budget_ = ByteBudget::make({.of_one = 10, .of_all = 15});
  std::map<std::string, Hold> holds_;
};

TEST_F(ByteBudgetTest, ATokenHasSoManyAndAllHaveSoMany) {
  EXPECT_EQ(ask("a", "ann", 6), 0U);
  EXPECT_NE(ask("b", "ann", 5), 0U) << "too many of hers";
  EXPECT_EQ(ask("c", "bob", 9), 0U) << "no matter to others";
  EXPECT_NE(ask("d", "cyd", 1), 0U) << "too many of all";
  EXPECT_EQ(budget_->held(), 15U);
  drop("c");
  EXPECT_TRUE(has("d"));
  EXPECT_FALSE(has("b"));
  drop("a");
  EXPECT_TRUE(has("b"));
  for (const char* name : {"b", "d"}) drop(name);
  EXPECT_EQ(budget_->held(), 0U);
}

TEST_F(ByteBudgetTest, ATokensOwnKeepTheirOrder) {
  ask("a", "ann", 9);
  ask("large", "ann", 8);
  EXPECT_NE(ask("small", "ann", 1), 0U) << "it would fit, but came later";
  drop("a");
  EXPECT_TRUE(has("large"));
  EXPECT_TRUE(has("small"));
}

TEST_F(ByteBudgetTest, WhoWithdrawsHoldsNobodyUp) {
  ask("a", "ann", 9);
  const auto number = ask("large", "ann", 8);
  ask("small", "ann", 1);
  budget_->withdraw(number);
  EXPECT_TRUE(has("small"));
  drop("a");
  EXPECT_FALSE(has("large"));
}

TEST_F(ByteBudgetTest, AHoldGrowsWhereThereIsRoomAndShrinksAlways) {
  ask("a", "ann", 0);
  EXPECT_TRUE(holds_["a"]->resize(10));
  EXPECT_FALSE(holds_["a"]->resize(11));
  EXPECT_EQ(holds_["a"]->bytes(), 10U);
  ask("b", "ann", 4);
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(holds_["a"]->resize(6));
  EXPECT_TRUE(has("b"));
}

TEST_F(ByteBudgetTest, WhatIsGivenBackAfterTheEndGoesToNobody) {
  ask("a", "ann", 9);
  ask("b", "ann", 9);
  budget_->close();
  Hold last = std::move(holds_["a"]);
  budget_.reset();
  last.reset();
  EXPECT_FALSE(has("b"));
}

}  // namespace
}  // namespace kbench
