#include "runner/measure/watch/worker_watch.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

using test::await;

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

RunTimes times_of(pid_t process) {
  const std::array processes{process};
  auto times = run_times(processes);
  if (times) return *times;
  ADD_FAILURE() << times.error().message;
  return {};
}

std::uint64_t total_ns_of(pid_t process) { return times_of(process).total_ns; }

// Waits until it holds, or until a look at the process failed.
void await_or_failure(const std::function<bool()>& condition, const std::string& what) {
  const auto holds = [&] { return ::testing::Test::HasFailure() || condition(); };
  ASSERT_TRUE(await(holds, what));
}

void await_run(pid_t process, std::uint64_t total_ns) {
  await_or_failure([&] { return total_ns_of(process) >= total_ns; }, "the process to run");
}

// Once a stopped child has left its core, which a hypervisor may delay, its time stands still: so
// for fifty looks in a row, at some point. One that runs never gets there.
bool comes_to_rest(pid_t process) {
  int same = 0;
  std::uint64_t before = total_ns_of(process);
  const auto rests = [&] {
    const std::uint64_t now = total_ns_of(process);
    same = now == before ? same + 1 : 0;
    before = now;
    return same == 50;
  };
  return await(rests, "a stopped process to leave its core");
}

TEST(WorkerWatch, RunTimeGrowsWhileAProcessRunsAndNotWhileItIsStopped) {
  const BusyChild child;
  await_run(child.pid(), 2'000'000);
  child.stop();
  EXPECT_TRUE(comes_to_rest(child.pid()));
  const auto stopped = total_ns_of(child.pid());
  ::kill(child.pid(), SIGCONT);
  await_run(child.pid(), stopped + 1'000'000);
}

TEST(WorkerWatch, AContinuedProcessIsPutOnACoreAgain) {
  const BusyChild child;
  await_run(child.pid(), 2'000'000);
  child.stop();
  ASSERT_TRUE(comes_to_rest(child.pid()));
  const RunTimes stopped = times_of(child.pid());
  EXPECT_EQ(ran_meanwhile(stopped, times_of(child.pid())).again_ns, 0u);
  ::kill(child.pid(), SIGCONT);
  await_or_failure(
      [&] { return ran_meanwhile(stopped, times_of(child.pid())).again_ns >= 1'000'000; },
      "the process to run again");
  child.stop();
}

// A thread that takes its run time along when it ends.
TEST(WorkerWatch, TimeOfThreadsThatHaveEndedCounts) {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) {
      std::thread([] {
        for (volatile int spin = 0; spin < 200'000;) {
          const int next = spin + 1;
          spin = next;
        }
      }).join();
    }
  }
  const RunTimes before = times_of(child);
  await_or_failure([&] { return ran_meanwhile(before, times_of(child)).again_ns >= 50'000'000; },
                   "threads to run and end");
  const RunTimes after = times_of(child);
  std::uint64_t living_ns = 0;
  for (const auto& [thread, time] : after.threads) living_ns += time.ns;
  EXPECT_LT(living_ns, after.total_ns);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(WorkerWatch, TimeInTheSameSliceIsLeavingAllOtherTimeIsRunningAgain) {
  const RunTimes before{{{1, {1000, 0, 5}}, {2, {1000, 0, 5}}, {3, {9000, 0, 5}}}, 11'000};
  // 1 left late by 300, 2 was continued for 20, 3 has ended and taken 500 along, 4 is new with 7.
  const RunTimes after{{{1, {1300, 0, 5}}, {2, {1020, 0, 6}}, {4, {7, 0, 1}}}, 11'827};
  const RanMeanwhile meanwhile = ran_meanwhile(before, after);
  EXPECT_EQ(meanwhile.leaving_ns, 300u);
  EXPECT_EQ(meanwhile.again_ns, 527u);
}

TEST(WorkerWatch, ProcessorTimeIsThatOfAllItsThreads) {
  const std::vector<pid_t> self{::getpid()};
  const auto before = run_times(self);
  ASSERT_TRUE(before);
  std::thread([] {
    const std::clock_t start = std::clock();
    while (std::clock() - start < CLOCKS_PER_SEC / 100) continue;
  }).join();
  const auto after = run_times(self);
  ASSERT_TRUE(after);
  EXPECT_GE(after->total_ns - before->total_ns, 10'000'000u) << "though that thread has ended";
}

TEST(WorkerWatch, WaitingForACoreIsOfThreadsThatAreThereAtBothLooks) {
  const RunTimes before{{{1, {0, 100, 0}}, {2, {0, 100, 0}}, {3, {0, 900, 0}}}, 0};
  const RunTimes after{{{1, {0, 150, 0}}, {2, {0, 100, 0}}, {4, {0, 7, 0}}}, 0};
  EXPECT_EQ(waited_ns(before, after), 50);
}

// Descriptors run out, which a hostile worker may have brought about: then nothing is known.
TEST(WorkerWatch, WhatCannotBeReadIsAnError) {
  const BusyChild child;
  const std::array processes{child.pid()};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto times = run_times(processes);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().code, ErrorCode::kInfrastructure);
  EXPECT_NE(times.error().message.find("Too many open files"), std::string::npos);
}

TEST(CoreLedger, AllGivenCoresMayBeBusy) {
  CoreLedger cores(4);
  for (int call = 0; call < 1000; ++call)
    EXPECT_FALSE(cores.ran_on_more(4 * 3'040'000, std::chrono::nanoseconds{3'000'000}));
}

// Two cores in 1.04 ms of work, of which the call takes 0.35 ms more: a CI machine let it pass.
TEST(CoreLedger, OneMoreIsFoundInShortCalls) {
  CoreLedger cores(1);
  bool found = false;
  for (int call = 0; call < 5; ++call)
    found = cores.ran_on_more(2'080'000, std::chrono::nanoseconds{1'390'000}) || found;
  EXPECT_TRUE(found);
}

TEST(CoreLedger, OneMoreIsFoundAndAnAccidentIsNot) {
  CoreLedger cores(1);
  for (int call = 0; call < 100; ++call)
    EXPECT_FALSE(cores.ran_on_more(call % 50 == 1 ? 20'000'000 : 3'000'000,
                                   std::chrono::nanoseconds{3'000'000}));
  bool found = false;
  for (int call = 0; call < 5; ++call)
    found = cores.ran_on_more(6'000'000, std::chrono::nanoseconds{3'000'000}) || found;
  EXPECT_TRUE(found);
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
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(stops.ran({.leaving_ns = i % 20 == 0 ? 9'000'000u : 20'000u}));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stops.ran({.again_ns = 400'000}));
  for (int i = 0; i < 300; ++i)
    EXPECT_FALSE(stops.ran({.again_ns = i % 100 == 0 ? 1'600'000u : 0u}));
}

TEST(WorkerWatch, RunningThroughAStopIsFoundAtOnceAndALittleInEveryStopSoon) {
  EXPECT_TRUE(StopLedger().ran({.again_ns = 30'000'000}));
  EXPECT_TRUE(StopLedger().ran({.leaving_ns = 200'000'000}));
  StopLedger often;
  int stops = 0;
  while (stops < 5 && !often.ran({.again_ns = 1'000'000})) ++stops;
  EXPECT_LT(stops, 5);
  // A worker that is continued before it has left its core does not get another core; but that does
  // not happen in every stop.
  StopLedger late;
  stops = 0;
  while (stops < 30 && !late.ran({.leaving_ns = 5'000'000})) ++stops;
  EXPECT_LT(stops, 30);
}

TEST(WorkerWatch, SeesTheTimeOfAProcessWhoseLeaderHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread([] {
      for (volatile bool spin = true; spin;) {
      }
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  EXPECT_TRUE(await([&] { return test::state_in_proc(child) == 'Z'; }, "the end of its leader"));
  const std::uint64_t before = total_ns_of(child);
  await_run(child, before + 2'000'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(WorkerWatch, AProcessThatIsGoneCountsAsNothing) {
  pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  EXPECT_TRUE(times_of(gone).threads.empty());
}

}  // namespace
}  // namespace kbench
