#include "runner/measure/worker_watch.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <span>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// A child that computes until it is stopped, and ends with the test.
class BusyChild {
 public:
  BusyChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    volatile std::uint64_t count = 0;
    while (true) {
      const std::uint64_t next = count + 1;
      count = next;
    }
  }
  ~BusyChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  BusyChild(const BusyChild&) = delete;
  BusyChild& operator=(const BusyChild&) = delete;

  void stop() const {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

std::uint64_t total_ns_of(std::span<const pid_t> processes) {
  return total_ns(run_times(processes));
}

TEST(WorkerWatch, RunTimeGrowsWhileAProcessRunsAndNotWhileItIsStopped) {
  const BusyChild child;
  const std::array processes{child.pid()};
  while (total_ns_of(processes) < 2'000'000) ::usleep(1000);
  child.stop();
  ::usleep(2000);  // it may still be leaving its core
  const auto stopped = total_ns_of(processes);
  ::usleep(20'000);
  EXPECT_EQ(total_ns_of(processes), stopped);
  ::kill(child.pid(), SIGCONT);
  while (total_ns_of(processes) < stopped + 1'000'000) ::usleep(1000);
}

TEST(WorkerWatch, AContinuedProcessIsPutOnACoreAgain) {
  const BusyChild child;
  const std::array processes{child.pid()};
  while (total_ns_of(processes) < 2'000'000) ::usleep(1000);
  child.stop();
  const RunTimes stopped = run_times(processes);
  ::usleep(20'000);
  EXPECT_EQ(ran_meanwhile(stopped, run_times(processes)).again_ns, 0u);
  ::kill(child.pid(), SIGCONT);
  while (ran_meanwhile(stopped, run_times(processes)).again_ns < 1'000'000) ::usleep(1000);
  child.stop();
}

TEST(WorkerWatch, TimeInTheSameSliceIsLeavingInAnotherOneItIsRunningAgain) {
  const RunTimes before{{1, {1000, 5}}, {2, {1000, 5}}, {3, {9000, 5}}};
  // 1 left late, 2 was continued, 3 has ended, 4 is new.
  const RunTimes after{{1, {1300, 5}}, {2, {1020, 6}}, {4, {7, 1}}};
  const RanMeanwhile meanwhile = ran_meanwhile(before, after);
  EXPECT_EQ(meanwhile.leaving_ns, 300u);
  EXPECT_EQ(meanwhile.again_ns, 27u);
}

TEST(StallWatch, SaysOnceThatNothingRuns) {
  using std::chrono::milliseconds;
  StallWatch watch;
  EXPECT_FALSE(watch.stalled(milliseconds{1000}, 7'000'000));
  EXPECT_FALSE(watch.stalled(milliseconds{1150}, 8'000'000));
  EXPECT_TRUE(watch.stalled(milliseconds{1210}, 9'000'000));
  EXPECT_FALSE(watch.stalled(milliseconds{2000}, 9'000'000));
}

TEST(StallWatch, WhatRunsHasNotStalled) {
  StallWatch watch;
  std::uint64_t run_time_ns = 0;
  for (int ms = 1000; ms < 3000; ms += 20)
    EXPECT_FALSE(watch.stalled(std::chrono::milliseconds{ms}, run_time_ns += 2'000'000));
}

TEST(WorkerWatch, LeavingACoreSlowlyIsNoRun) {
  StopLedger stops;
  // The hypervisor took the core meanwhile.
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stops.ran({.leaving_ns = 9'000'000}));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stops.ran({.again_ns = 400'000}));
  for (int i = 0; i < 300; ++i)
    EXPECT_FALSE(stops.ran({.again_ns = i % 100 == 0 ? 1'600'000u : 0u}));
}

TEST(WorkerWatch, RunningThroughAStopIsFoundAtOnceAndALittleInEveryStopSoon) {
  EXPECT_TRUE(StopLedger().ran({.again_ns = 30'000'000}));
  EXPECT_TRUE(StopLedger().ran({.leaving_ns = 200'000'000}));
  StopLedger often;
  int stops = 0;
  while (!often.ran({.again_ns = 1'000'000})) ++stops;
  EXPECT_LT(stops, 5);
}

TEST(WorkerWatch, AProcessThatIsGoneCountsAsNothing) {
  pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::array processes{gone};
  EXPECT_TRUE(run_times(processes).empty());
}

}  // namespace
}  // namespace kbench
