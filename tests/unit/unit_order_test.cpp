#include "runner/run/unit_order.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;
using Units = std::vector<std::size_t>;

Units ordered(UnitOrder order, Units units, const std::vector<double>& seconds,
              const std::string& seed = "seed") {
  order_units(order, seconds, seed, units);
  return units;
}

TEST(UnitOrder, ByTaskIsAsPlanned) {
  EXPECT_THAT(ordered(UnitOrder::kTask, {4, 7, 9}, {1, 3, 2}), ElementsAre(4, 7, 9));
}

TEST(UnitOrder, LongestComesFirstAndWhatNobodyTimedLast) {
  EXPECT_THAT(ordered(UnitOrder::kLongest, {4, 7, 9, 10, 12}, {1, 0, 3, 0, 1}),
              ElementsAre(9, 4, 12, 7, 10));
}

TEST(UnitOrder, AShuffleLosesNothingAndRepeatsBySeedAlone) {
  Units units;
  for (std::size_t i = 0; i < 40; ++i) units.push_back(i);
  const std::vector<double> seconds(units.size(), 1.0);
  const Units first = ordered(UnitOrder::kShuffled, units, seconds, "one");
  EXPECT_THAT(first, UnorderedElementsAreArray(units));
  EXPECT_NE(first, units);
  EXPECT_EQ(ordered(UnitOrder::kShuffled, units, seconds, "one"), first);
  EXPECT_NE(ordered(UnitOrder::kShuffled, units, seconds, "other"), first);
}

TEST(UnitOrder, NothingStaysNothing) {
  for (const UnitOrder order : {UnitOrder::kTask, UnitOrder::kShuffled, UnitOrder::kLongest})
    EXPECT_THAT(ordered(order, {}, {}), IsEmpty());
}

}  // namespace
}  // namespace kbench
