#include "runner/agent/retry.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Retry, WaitsTwiceAsLongEachTimeUntilTheLastTry) {
  for (int tries = 1; tries < kMostTries; ++tries)
    EXPECT_EQ(wait_before_retry(tries, 503, {}), milliseconds(1000 << (tries - 1))) << tries;
  EXPECT_EQ(wait_before_retry(kMostTries, 503, {}), std::nullopt);
}

TEST(Retry, OnlyWhatAnotherTryMayChangeIsAskedAgain) {
  for (const int status : {0, 408, 429, 500, 503, 599})
    EXPECT_TRUE(wait_before_retry(1, status, {})) << status;
  for (const int status : {200, 301, 400, 401, 403, 404, 422})
    EXPECT_FALSE(wait_before_retry(1, status, {})) << status;
}

// An endpoint that says "in a year" ends no episode, and holds none up for ever.
TEST(Retry, AnEndpointsWishCountsUpToFiveMinutes) {
  EXPECT_EQ(wait_before_retry(1, 429, seconds(7)), seconds(7));
  EXPECT_EQ(wait_before_retry(4, 429, seconds(0)), seconds(0));
  EXPECT_EQ(wait_before_retry(1, 429, seconds(300)), seconds(300));
  EXPECT_EQ(wait_before_retry(1, 429, seconds(301)), seconds(300));
  EXPECT_EQ(wait_before_retry(1, 503, seconds(31'536'000)), seconds(300));
  EXPECT_EQ(wait_before_retry(1, 503, seconds(-5)), seconds(0));
}

}  // namespace
}  // namespace kbench
