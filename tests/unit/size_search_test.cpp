#include "runner/synthesis/size_search.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Next = SizeSearch::Next;

// Searches with a device that takes so long at a scale.
Next search(SizeSearch& search, const std::function<double(double)>& ms_at) {
  while (true) {
    const Next next = search.took(ms_at(search.scale()));
    if (next != Next::kTryAgain) return next;
  }
}

TEST(SizeSearch, WhatFitsAtOnceStays) {
  SizeSearch sizes({}, 0.5);
  EXPECT_EQ(sizes.took(7), Next::kFits);
  EXPECT_EQ(sizes.scale(), 0.5);
  EXPECT_EQ(sizes.tries(), 1);
}

TEST(SizeSearch, AimsAtTheGeometricMiddle) {
  SizeSearch sizes({}, 1);
  EXPECT_EQ(sizes.took(0.5), Next::kTryAgain);
  EXPECT_DOUBLE_EQ(sizes.scale(), 20);  // 10 ms, if it grew in proportion
}

TEST(SizeSearch, FindsTheBandFromEitherSide) {
  for (const double first : {0.001, 1.0, 500.0}) {
    SizeSearch sizes({}, first);
    const auto launches_first = [](double scale) { return 0.05 + 3 * scale; };
    EXPECT_EQ(search(sizes, launches_first), Next::kFits) << first;
    EXPECT_TRUE(TimeBand{}.holds(launches_first(sizes.scale())));
  }
}

TEST(SizeSearch, BisectsWhereTimesJump) {
  SizeSearch sizes({}, 1);
  const auto falls_out_of_the_cache = [](double scale) {
    return scale < 20 ? 0.01 * scale : 2 * scale;
  };
  EXPECT_EQ(search(sizes, falls_out_of_the_cache), Next::kFits);
}

TEST(SizeSearch, WhatDoesNotFitIsMadeSmaller) {
  SizeSearch sizes({}, 100);
  EXPECT_EQ(sizes.took(std::numeric_limits<double>::infinity()), Next::kTryAgain);
  EXPECT_LT(sizes.scale(), 100);
  EXPECT_GT(sizes.scale(), 0);
}

TEST(SizeSearch, GivesUp) {
  SizeSearch never({}, 1);
  EXPECT_EQ(search(never, [](double) { return 1e-3; }), Next::kGiveUp);
  SizeSearch jumps({}, 1);
  EXPECT_EQ(search(jumps, [](double scale) { return scale < 3 ? 0.5 : 200.0; }), Next::kGiveUp);
  EXPECT_LE(jumps.tries(), 10);
}

}  // namespace
}  // namespace kbench
