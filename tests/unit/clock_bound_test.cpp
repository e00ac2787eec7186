#include <functional>

#include <gtest/gtest.h>

#include "runner/measure/claims.hpp"

namespace kbench {
namespace {

constexpr EmptyCalls kEmpty{.wall_ns = 600e3, .strict_ns = 7e6};
constexpr int kBlocks = 30;

struct Call {
  double true_ns = 3e6;
  double forged_ns = 0;  // taken off the claim
  double after_done_ns = 0;
  double late_ns = 0;  // the clocks show more for no reason
};

std::vector<Sample> samples_of(const std::function<Call(int block, int visit)>& call_at) {
  std::vector<Sample> samples;
  for (int block = 0; block < kBlocks; ++block) {
    for (int visit = 0; visit < 2; ++visit) {
      const Call call = call_at(block, visit);
      Sample sample{.block = block, .visit = visit, .side = Side::kSubmission};
      sample.claimed_ns = static_cast<std::int64_t>(call.true_ns - call.forged_ns);
      const double wall = call.true_ns - call.after_done_ns + kEmpty.wall_ns + call.late_ns;
      sample.wall_ns = static_cast<std::int64_t>(wall);
      sample.strict_ns = static_cast<std::int64_t>(call.true_ns + kEmpty.strict_ns + call.late_ns);
      sample.time_ns = *sample.claimed_ns;
      samples.push_back(sample);
    }
  }
  return samples;
}

// 0, 1, 2, … in a fixed order without a pattern.
double scattered(int block, int visit, double most) {
  return most * ((block * 7 + visit * 11) % 20) / 20;
}

TEST(ClockBound, HonestClaimsAreNotContradicted) {
  const auto samples = samples_of(
      [](int block, int visit) { return Call{.late_ns = scattered(block, visit, 8e4)}; });
  EXPECT_FALSE(clock_contradiction(samples, kEmpty));
}

// A tail of 49 us that the end event did not cover, and 35 us taken off each elapsed time, once
// made a kernel of 0.34 ms look 17 and 12 % quicker.
TEST(ClockBound, MicrosecondsTakenOffAShortKernelAreFound) {
  for (const double forged_ns : {35e3, 49e3}) {
    auto samples = samples_of([&](int block, int visit) {
      return Call{
          .true_ns = 341e3, .forged_ns = forged_ns, .late_ns = scattered(block, visit, 8e3)};
    });
    EXPECT_TRUE(clock_contradiction(samples, kEmpty)) << forged_ns;
  }
}

TEST(ClockBound, AFewCallsAreGrantedMore) {
  auto samples = samples_of([](int, int) { return Call{.true_ns = 3e6, .late_ns = 38e3}; });
  EXPECT_TRUE(clock_contradiction(samples, kEmpty));
  samples.resize(16);
  EXPECT_FALSE(clock_contradiction(samples, kEmpty));
}

TEST(ClockBound, ManyLateCallsAreTheHosts) {
  const auto samples =
      samples_of([](int block, int) { return Call{.late_ns = block % 3 == 0 ? 9e6 : 1e4}; });
  EXPECT_FALSE(clock_contradiction(samples, kEmpty));
}

TEST(ClockBound, ABurstThatDelaysTwoCallsOfThreeIsTheHosts) {
  const auto samples = samples_of([](int block, int visit) {
    return Call{.late_ns = (2 * block + visit) % 3 == 0 ? 0.0 : 5e6};
  });
  EXPECT_FALSE(clock_contradiction(samples, kEmpty));
}

TEST(ClockBound, TwoPercentOfFiveMillisecondsAreFound) {
  const auto samples = samples_of([](int, int) { return Call{.true_ns = 5e6, .forged_ns = 1e5}; });
  ASSERT_TRUE(clock_contradiction(samples, kEmpty));
  EXPECT_NE(clock_contradiction(samples, kEmpty)->find("until done"), std::string::npos);
}

TEST(ClockBound, SixPercentOfOneMillisecondAreFound) {
  EXPECT_TRUE(clock_contradiction(
      samples_of([](int, int) { return Call{.true_ns = 1e6, .forged_ns = 6e4}; }), kEmpty));
}

TEST(ClockBound, LyingInMostBlocksGainsWhatIsCompared) {
  const auto every_second_call =
      samples_of([](int, int visit) { return Call{.forged_ns = visit == 0 ? 1.5e6 : 0.0}; });
  EXPECT_TRUE(clock_contradiction(every_second_call, kEmpty));
  const auto sixty_percent =
      samples_of([](int block, int) { return Call{.forged_ns = block % 5 < 3 ? 1.5e6 : 0.0}; });
  EXPECT_TRUE(clock_contradiction(sixty_percent, kEmpty));
}

TEST(ClockBound, JitterOfItsOwnExcusesNothing) {
  // The wider the calls are spread on purpose, the more a bound that grew with the spread would
  // hide.
  const auto samples = samples_of([](int block, int visit) {
    return Call{.true_ns = 3e6 + scattered(block, visit, 3e6), .forged_ns = 3e5};
  });
  EXPECT_TRUE(clock_contradiction(samples, kEmpty));
}

TEST(ClockBound, WorkAfterDoneIsSeenByTheStrictClock) {
  const auto samples =
      samples_of([](int, int) { return Call{.forged_ns = 5e5, .after_done_ns = 5e5}; });
  ASSERT_TRUE(clock_contradiction(samples, kEmpty));
  EXPECT_NE(clock_contradiction(samples, kEmpty)->find("having the outputs"), std::string::npos);
}

TEST(ClockBound, WithoutSamplesNothingIsSaid) { EXPECT_FALSE(clock_contradiction({}, kEmpty)); }

}  // namespace
}  // namespace kbench
