// Abilities of a locked-down process, checked in a child that locks itself and tries.
#include "runner/sandbox/lockdown.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "runner/sandbox/seccomp_filter.hpp"

namespace kbench {
namespace {

constexpr int kCouldNotLock = 99;

// Locks a child down, calls `act` there and returns what it returned (0 to 98).
int in_locked_child(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto locked = lock_down();
    ::_exit(locked.ok() && *locked ? act() : kCouldNotLock);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The errno of a call that must fail; 0 when it succeeded.
int error_of(long result) { return result < 0 ? errno : 0; }

class LockdownTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernel_has_filters()) GTEST_SKIP() << "this kernel has no system call filters";
  }
};

TEST_F(LockdownTest, NoProcessIsStarted) {
  EXPECT_EQ(in_locked_child([] { return error_of(::fork()); }), EPERM);
  EXPECT_EQ(in_locked_child([] { return error_of(::vfork()); }), EPERM);
  EXPECT_EQ(in_locked_child([] {
              pid_t child = 0;
              char name[] = "true";
              char* arguments[] = {name, nullptr};
              return ::posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, nullptr);
            }),
            EPERM);
  EXPECT_EQ(in_locked_child([] { return error_of(::syscall(SYS_clone3, nullptr, 0)); }), ENOSYS);
}

TEST_F(LockdownTest, NoProgramIsExecuted) {
  EXPECT_EQ(in_locked_child([] { return error_of(::execl("/bin/true", "true", nullptr)); }), EPERM);
  EXPECT_EQ(in_locked_child([] {
              const int file = ::open("/bin/true", O_RDONLY);
              char* none[] = {nullptr};
              return error_of(::fexecve(file, none, none));
            }),
            EPERM);
}

TEST_F(LockdownTest, ThreadsStillStart) {
  EXPECT_EQ(in_locked_child([] {
              int sum = 0;
              std::thread one([&] { sum += 1; });
              one.join();
              std::thread two([&] { sum += 2; });
              two.join();
              return sum;
            }),
            3);
}

TEST_F(LockdownTest, EveryThreadIsBound) {
  const auto act = [](int locked_by_now) { return locked_by_now != 0 ? error_of(::fork()) : 98; };
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> locked{0};
    std::atomic<int> seen{0};
    // Like libcuda's threads, this one is older than the lock.
    std::thread older([&] {
      while (locked.load() == 0) ::usleep(100);
      seen = act(locked.load());
    });
    const auto result = lock_down();
    locked = result.ok() && *result ? 1 : 0;
    if (locked == 0) ::_exit(kCouldNotLock);
    older.join();
    ::_exit(seen);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

TEST_F(LockdownTest, SignalsReachOnlyItself) {
  const int parent = ::getpid();
  EXPECT_EQ(in_locked_child([=] { return error_of(::kill(parent, 0)); }), EPERM);
  EXPECT_EQ(in_locked_child([=] { return error_of(::syscall(SYS_tgkill, parent, parent, 0)); }),
            EPERM);
  EXPECT_EQ(in_locked_child([=] { return error_of(::syscall(SYS_tkill, parent, 0)); }), EPERM);
  EXPECT_EQ(in_locked_child([] { return error_of(::kill(-1, 0)); }), EPERM);
  EXPECT_EQ(in_locked_child([] { return error_of(::kill(::getpid(), 0)); }), 0);
  EXPECT_EQ(in_locked_child([]() -> int { ::abort(); }), -SIGABRT);
}

TEST_F(LockdownTest, PrioritiesOfOthersStay) {
  const int parent = ::getpid();
  const auto error = [](auto... arguments) {
    return in_locked_child([=] { return error_of(::syscall(arguments...)); });
  };
  EXPECT_EQ(error(SYS_setpriority, PRIO_PROCESS, parent, 10), EPERM);
  EXPECT_EQ(error(SYS_setpriority, PRIO_PGRP, 0, 10), EPERM);
  EXPECT_EQ(error(SYS_setpriority, PRIO_USER, 0, 10), EPERM);
  EXPECT_EQ(error(SYS_setpriority, PRIO_PROCESS, 0, 10), 0) << "its own";
  // The value of linux/ioprio.h, which is C alone in some kernel headers.
  constexpr int kIdle = 3 << 13;
  constexpr int kProcess = 1;
  constexpr int kGroup = 2;
  EXPECT_EQ(error(SYS_ioprio_set, kProcess, parent, kIdle), EPERM);
  EXPECT_EQ(error(SYS_ioprio_set, kGroup, 0, kIdle), EPERM);
  EXPECT_EQ(error(SYS_ioprio_set, kProcess, 0, kIdle), 0);
}

TEST_F(LockdownTest, NothingCanHaveItselfContinued) {
  const auto denied = [](auto... arguments) {
    return in_locked_child([=] { return error_of(::syscall(arguments...)); });
  };
  const auto sent_by_itself = [](auto send) {
    return in_locked_child([=] { return error_of(send(::getpid())); });
  };
  EXPECT_EQ(sent_by_itself([](pid_t self) { return ::kill(self, SIGCONT); }), EPERM);
  EXPECT_EQ(sent_by_itself([](pid_t self) { return ::syscall(SYS_tgkill, self, self, SIGCONT); }),
            EPERM);
  // The kernel looks at the lower half of a number only.
  constexpr long kAbove = 1l << 40;
  EXPECT_EQ(sent_by_itself([=](pid_t self) { return ::syscall(SYS_kill, self, SIGCONT + kAbove); }),
            EPERM);
  EXPECT_EQ(sent_by_itself([](pid_t self) {
              siginfo_t info{};
              info.si_code = SI_QUEUE;
              return ::syscall(SYS_rt_sigqueueinfo, self, SIGCONT, &info);
            }),
            EPERM);
  timer_t timer{};
  EXPECT_EQ(denied(SYS_timer_create, CLOCK_MONOTONIC, nullptr, &timer), EPERM);
  EXPECT_EQ(denied(SYS_setitimer, ITIMER_REAL, nullptr, nullptr), EPERM);
  EXPECT_EQ(denied(SYS_alarm, 0), EPERM);
  EXPECT_EQ(denied(SYS_mq_notify, -1, nullptr), EPERM);
  EXPECT_EQ(denied(SYS_prctl, PR_SET_PDEATHSIG, SIGCONT), EPERM);
  EXPECT_EQ(denied(SYS_prctl, PR_SET_DUMPABLE, 0), EPERM);
  EXPECT_EQ(denied(SYS_setsid), EPERM);
  EXPECT_EQ(denied(SYS_setpgid, 0, 0), EPERM);
  for (const int command : {F_SETSIG, F_SETOWN, F_SETOWN_EX, F_NOTIFY, F_SETLEASE})
    EXPECT_EQ(denied(SYS_fcntl, 0, command, SIGCONT), EPERM) << command;
  EXPECT_EQ(denied(SYS_fcntl, 0, F_SETFL, O_ASYNC), EPERM);
  for (const unsigned long request : {0ul + FIOASYNC, 0ul + FIOSETOWN, 0ul + SIOCSPGRP,
                                      0ul + TIOCSCTTY, 0ul + TIOCNOTTY, 0ul + TIOCSPGRP})
    EXPECT_EQ(denied(SYS_ioctl, 0, request, 0), EPERM) << request;
}

TEST_F(LockdownTest, TimersWithoutSignalsAndFlagsOfFilesStay) {
  EXPECT_EQ(in_locked_child([] {
              const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
              if (timer < 0) return 1;
              const int flags = ::fcntl(timer, F_GETFL);
              if (flags < 0 || ::fcntl(timer, F_SETFL, flags | O_NONBLOCK) != 0) return 2;
              if (::fcntl(timer, F_SETFD, FD_CLOEXEC) != 0) return 3;
              if (::fcntl(timer, F_DUPFD_CLOEXEC, 10) < 0) return 4;
              if (::prctl(PR_SET_NAME, "thread") != 0) return 5;
              if (::kill(::getpid(), SIGURG) != 0) return 6;
              return 0;
            }),
            0);
}

TEST_F(LockdownTest, CommonRulesHold) {
  const int parent = ::getpid();
  const auto denied = [](auto... arguments) {
    return in_locked_child([=] { return error_of(::syscall(arguments...)); });
  };
  EXPECT_EQ(denied(SYS_ptrace, PTRACE_ATTACH, parent, 0, 0), EPERM);
  EXPECT_EQ(denied(SYS_process_vm_readv, parent, 0, 0, 0, 0, 0), EPERM);
  EXPECT_EQ(denied(SYS_io_uring_setup, 8, 0), EPERM);
  EXPECT_EQ(denied(SYS_bpf, 0, 0, 0), EPERM);
  EXPECT_EQ(denied(SYS_perf_event_open, 0, 0, 0, 0, 0), EPERM);
  EXPECT_EQ(denied(SYS_userfaultfd, 0), EPERM);
  EXPECT_EQ(denied(SYS_madvise, 0, 0, MADV_REMOVE), EPERM);
  constexpr int kCollapse = 25;  // no length: what a kernel that knows it would allow
  EXPECT_EQ(denied(SYS_madvise, 0, 0, kCollapse), EINVAL);
  EXPECT_EQ(denied(SYS_keyctl, 0, 0, 0, 0, 0), EPERM);
  EXPECT_EQ(denied(SYS_unshare, 0), EPERM);
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_VSOCK, AF_NETLINK}) {
    EXPECT_EQ(denied(SYS_socket, family, SOCK_STREAM, 0), EPERM) << family;
  }
  constexpr long kX32Bit = 0x40000000;
  EXPECT_EQ(denied(kX32Bit | SYS_getpid), ENOSYS);
  EXPECT_EQ(denied(100000L), ENOSYS);
}

TEST_F(LockdownTest, WhatCudaNeedsStillWorks) {
  EXPECT_EQ(in_locked_child([] {
              const int event = ::eventfd(0, EFD_CLOEXEC);
              if (event < 0) return 1;
              if (::open("/dev/null", O_RDWR) < 0) return 2;
              void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (memory == MAP_FAILED) return 3;
              if (::memfd_create("x", MFD_CLOEXEC) < 0) return 4;
              if (::ioctl(event, 0x4600) >= 0 || errno != ENOTTY) return 5;
              return 0;
            }),
            0);
}

TEST_F(LockdownTest, ItsMapsCannotBeHidden) {
  EXPECT_EQ(in_locked_child([] {
              const bool hidden = ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
              return hidden ? 1 : 0;
            }),
            0);
}

TEST_F(LockdownTest, NothingBecomesCodeAnyMore) {
  EXPECT_EQ(in_locked_child([] {
              const auto map = [](int protection, int file) {
                return ::mmap(nullptr, 4096, protection,
                              MAP_PRIVATE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
              };
              const int file = ::memfd_create("code", 0);
              if (file < 0 || ::ftruncate(file, 4096) != 0) return 1;
              if (map(PROT_READ | PROT_EXEC, file) == MAP_FAILED) return 2;  // still allowed
              if (!allow_no_new_code()) return 3;
              if (map(PROT_READ | PROT_EXEC, file) != MAP_FAILED) return 4;
              if (map(PROT_READ | PROT_WRITE | PROT_EXEC, -1) != MAP_FAILED) return 5;
              void* data = map(PROT_READ | PROT_WRITE, -1);
              if (data == MAP_FAILED) return 6;
              if (::mprotect(data, 4096, PROT_READ | PROT_EXEC) == 0) return 7;
              return ::mprotect(data, 4096, PROT_READ) == 0 ? 0 : 8;
            }),
            0);
}

TEST_F(LockdownTest, LocksASecondTime) {
  EXPECT_EQ(in_locked_child([] { return lock_down().ok() ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace kbench
