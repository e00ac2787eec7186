#include "runner/task/output_order.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Dimensions = std::vector<std::int64_t>;

TEST(OutputOrderTest, NamesTheOutermostDimensionFirst) {
  EXPECT_EQ(outermost_first(0x231, 3), (Dimensions{0, 2, 1}));
  EXPECT_EQ(outermost_first(0x21, 2), (Dimensions{0, 1}));
}

TEST(OutputOrderTest, IsAsDeclaredWhereItIsNoOrderOfSoMany) {
  for (const OutputOrder order : {0x0u, 0x11u, 0x31u, 0x1u, 0x321u, 0x20u})
    EXPECT_FALSE(outermost_first(order, 2)) << order;
  EXPECT_FALSE(outermost_first(1, 0));
  EXPECT_FALSE(outermost_first(0x21, 16));
}

TEST(OutputOrderTest, FindsAnElementWhereTheTaskHasIt) {
  // [2, 3, 4], of which the last dimension lies before the second one.
  const Dimensions shape{2, 3, 4}, dimensions{0, 2, 1};
  EXPECT_EQ(declared_index(0, shape, dimensions), 0u);
  EXPECT_EQ(declared_index(1, shape, dimensions), 4u);
  EXPECT_EQ(declared_index(3, shape, dimensions), 1u);
  EXPECT_EQ(declared_index(12 + 5, shape, dimensions), 12u + 2 * 4 + 1);
}

}  // namespace
}  // namespace kbench
