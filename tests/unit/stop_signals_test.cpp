#include "runner/os/stop_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(StopSignals, ASignalIsAFlagWhileAGuardLives) {
  const InterruptGuard guard;
  EXPECT_FALSE(guard.interrupted());
  ::raise(SIGINT);
  EXPECT_TRUE(guard.interrupted());
}

TEST(StopSignals, ANewGuardKnowsNothingOfTheLastOne) {
  {
    const InterruptGuard guard;
    ::raise(SIGTERM);
  }
  EXPECT_FALSE(InterruptGuard().interrupted());
}

// The runs of a night have a guard each, and what lies between them has that of the night.
TEST(StopSignals, BetweenInnerGuardsTheOuterOneHolds) {
  const InterruptGuard night;
  std::optional<InterruptGuard> run(std::in_place);
  run.reset();
  ::raise(SIGINT);
  EXPECT_TRUE(night.interrupted());
  run.emplace();
  EXPECT_TRUE(run->interrupted()) << "the next run is not to begin";
}

TEST(StopSignalsDeathTest, WithoutAGuardTheProcessEndsWithALastLine) {
  const auto end = [](int number) {
    end_with_a_last_line("the last line\n", 130);
    { const InterruptGuard guard; }
    ::raise(number);
  };
  for (const int number : {SIGINT, SIGTERM})
    EXPECT_EXIT(end(number), ::testing::ExitedWithCode(130), "^the last line\n$");
}

TEST(StopSignalsDeathTest, ASignalThatIsIgnoredStaysIgnored) {
  const auto end = [] {
    ::signal(SIGINT, SIG_IGN);
    end_with_a_last_line("the last line\n", 130);
    ::raise(SIGINT);
    ::_exit(0);
  };
  EXPECT_EXIT(end(), ::testing::ExitedWithCode(0), "^$");
}

TEST(StopSignals, AFunctionMayAskToStopAsWell) {
  bool stop = false;
  const InterruptGuard guard([&] { return stop; });
  EXPECT_FALSE(guard.interrupted());
  stop = true;
  EXPECT_TRUE(guard.interrupted());
}

}  // namespace
}  // namespace kbench
