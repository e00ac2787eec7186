#include "runner/sandbox/moved_threads.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "runner/core/usable_cores.hpp"

namespace kbench {
namespace {

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t cores;
  EXPECT_EQ(::sched_getaffinity(thread, sizeof cores, &cores), 0);
  return cores;
}

// Sleeps until it is killed, bound to one core.
class BoundChild {
 public:
  explicit BoundChild(int core) : pid_(::fork()) {
    while (pid_ == 0) ::pause();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(core), &one);
    EXPECT_EQ(::sched_setaffinity(pid_, sizeof one, &one), 0);
  }
  ~BoundChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  BoundChild(const BoundChild&) = delete;
  BoundChild& operator=(const BoundChild&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(MovedThreads, LeaveTheirCoreAndComeBack) {
  const cpu_set_t mine = cores_of(0);
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "there is nowhere else to go";
  const int first = usable_cores().front();
  const BoundChild child(first);
  const cpu_set_t bound = cores_of(child.pid());
  {
    const std::array threads{child.pid()};
    const MovedThreads moved(threads);
    const cpu_set_t now = cores_of(child.pid());
    EXPECT_FALSE(CPU_ISSET(static_cast<std::size_t>(first), &now));
    EXPECT_EQ(CPU_COUNT(&now), CPU_COUNT(&mine) - 1);
  }
  const cpu_set_t after = cores_of(child.pid());
  EXPECT_TRUE(CPU_EQUAL(&after, &bound));
}

TEST(MovedThreads, WhatIsNotBoundOrNotThereIsLeftAlone) {
  const cpu_set_t mine = cores_of(0);
  const std::array threads{::gettid(), pid_t{0x3fffffff}};
  const MovedThreads moved(threads);
  const cpu_set_t now = cores_of(0);
  EXPECT_TRUE(CPU_EQUAL(&now, &mine));
}

}  // namespace
}  // namespace kbench
