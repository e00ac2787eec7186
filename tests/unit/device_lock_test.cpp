// Two processes and one device: who comes second waits, and is told for whom.
#include "runner/os/device_lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/unique_fd.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/os/device_queue.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using test::await;
using test::start_child;
using test::TemporaryFolder;
using test::wait_for;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const LockSeeker kFirst{"4711", "run 0123456789ab"};
const LockSeeker kSecond{"4712", "run ba9876543210"};

Result<DeviceLock> take(const std::filesystem::path& folder, const LockSeeker& self,
                        bool wait = false, const std::string& device = "GPU-1") {
  return DeviceLock::take(folder, device, self, [=](const DeviceWait&) { return wait; });
}

// A child that holds the lock until it is told to end, or is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& folder) {
    EXPECT_EQ(::pipe2(ready_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(end_.data(), O_CLOEXEC), 0);
    child_ = start_child([&] {
      ::close(end_[1]);
      char byte = 0;
      const auto lock = take(folder, kFirst);
      if (!lock || ::write(ready_[1], "x", 1) != 1) return 1;
      return ::read(end_[0], &byte, 1) == 0 ? 0 : 2;  // at the end of the pipe
    });
    ::close(ready_[1]);
    ::close(end_[0]);
    char byte = 0;
    EXPECT_EQ(::read(ready_[0], &byte, 1), 1);
  }
  ~Holder() {
    ::close(ready_[0]);
    if (child_ > 0) end();
  }
  int end() {
    ::close(end_[1]);
    return wait_for(std::exchange(child_, -1));
  }
  void kill() {
    ::kill(child_, SIGKILL);
    EXPECT_EQ(wait_for(std::exchange(child_, -1)), -SIGKILL);
    ::close(end_[1]);
  }

 private:
  std::array<int, 2> ready_{};
  std::array<int, 2> end_{};
  pid_t child_ = -1;
};

// Counts how often a file has been opened since.
class OpenCounter {
 public:
  explicit OpenCounter(const std::filesystem::path& file)
      : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // Two equal events in a row would be told as one.
    counts_ = ::inotify_add_watch(events_.get(), file.c_str(), IN_OPEN | IN_CLOSE) >= 0;
  }
  // False where other programs of this user have all that the kernel gives one user.
  [[nodiscard]] bool counts() const { return counts_; }
  [[nodiscard]] int count() const {
    inotify_event event{};
    while (::read(events_.get(), &event, sizeof event) == sizeof event)
      if ((event.mask & IN_OPEN) != 0) ++count_;
    return count_;
  }

 private:
  UniqueFd events_;
  bool counts_ = false;
  mutable int count_ = 0;
};

class DeviceLockTest : public ::testing::Test {
 protected:
  TemporaryFolder root_;
  std::filesystem::path folder_ = root_ / "locks";
};

TEST_F(DeviceLockTest, WhoDoesNotWaitIsToldWhoHasIt) {
  Holder first(folder_);
  const auto second = take(folder_, kSecond);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(second.error().message,
              MatchesRegex("another measurement has the device: process 4711 \\(run 0123456789ab, "
                           "since [0-9T:-]+Z\\)"));
}

TEST_F(DeviceLockTest, WhoWaitsIsToldOnceAndGetsItWhenItIsFree) {
  Holder first(folder_);
  std::vector<DeviceWait> told;
  const OpenCounter looks(folder_ / "kbench-GPU-1.lock");
  if (!looks.counts()) GTEST_SKIP() << "files cannot be watched: " << std::strerror(errno);
  std::thread later([&] {
    EXPECT_TRUE(await([&] { return looks.count() >= 3; }, "the third look at the lock"));
    EXPECT_EQ(first.end(), 0);
  });
  const auto second = DeviceLock::take(folder_, "GPU-1", kSecond, [&](const DeviceWait& wait) {
    told.push_back(wait);
    return true;
  });
  later.join();
  ASSERT_TRUE(second.ok()) << second.error().message;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].holder.what, kFirst.what);
  EXPECT_EQ(told[0].place, 1);
  EXPECT_FALSE(take(folder_, kFirst).ok()) << "it is the second's now";
}

TEST_F(DeviceLockTest, AKilledHolderHoldsNothing) {
  Holder first(folder_);
  first.kill();
  const auto second = take(folder_, kSecond);
  EXPECT_TRUE(second.ok());
  const auto third = take(folder_, kFirst);
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(third.error().message, HasSubstr("process 4712")) << "not the one that was killed";
}

TEST_F(DeviceLockTest, OtherDevicesAreFree) {
  const auto one = take(folder_, kFirst);
  EXPECT_TRUE(take(folder_, kSecond, false, "GPU-2").ok());
  EXPECT_TRUE(take(folder_, kSecond, false, cpu_lock_name()).ok());
  EXPECT_FALSE(take(folder_, kSecond).ok());
}

TEST_F(DeviceLockTest, WhoEndsLeavesNothingBehind) {
  { const auto lock = take(folder_, kFirst); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_TRUE(take(folder_, kFirst).ok());
}

// A killed run may leave programs behind that it started; they hold no lock for it.
TEST_F(DeviceLockTest, AStartedProgramDoesNotInheritIt) {
  const auto note = root_ / "program";
  const auto running = root_ / "running";
  const pid_t killed = start_child([&] {
    const auto lock = take(folder_, kFirst);
    const pid_t program = ::fork();
    if (program == 0) {
      ::execl("/bin/sh", "sh", "-c", "touch $0; exec sleep 600", running.c_str(), nullptr);
      ::_exit(1);
    }
    std::ofstream(note) << program << std::flush;
    const auto is_executed = [&] { return std::filesystem::exists(running); };
    return await(is_executed, "the program to be executed") ? ::raise(SIGKILL) : 1;
  });
  EXPECT_EQ(wait_for(killed), -SIGKILL);
  pid_t program = 0;
  std::ifstream(note) >> program;
  ASSERT_GT(program, 0);
  EXPECT_EQ(::kill(program, 0), 0) << "it was to outlive the one that started it";
  EXPECT_TRUE(take(folder_, kSecond).ok());
  ::kill(program, SIGKILL);
}

// Each adds one to a number in a file, and does not write it before all others have read theirs or
// wait for the lock: without the lock some would be lost.
TEST_F(DeviceLockTest, ManyAtOnceTakeTurns) {
  constexpr int kProcesses = 8;
  const auto counter = root_ / "counter";
  std::ofstream(counter) << 0;
  const auto come = root_ / "come";  // a file of each that reads or waits
  std::filesystem::create_directory(come);
  const auto all_have_come = [&] {
    const std::filesystem::directory_iterator files(come);
    return std::distance(begin(files), end(files)) == kProcesses;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(start_child([&] {
      const auto comes = [&] { std::ofstream(come / std::to_string(i)) << ""; };
      const auto lock = DeviceLock::take(folder_, "GPU-1", kFirst, [&](const DeviceWait&) {
        comes();
        return true;
      });
      if (!lock) return 1;
      int number = 0;
      std::ifstream(counter) >> number;
      comes();
      if (!await(all_have_come, "all to wait for the lock")) return 2;
      std::ofstream(counter) << number + 1;
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  int number = 0;
  std::ifstream(counter) >> number;
  EXPECT_EQ(number, kProcesses);
}

// A run once waited 33 minutes while later ones got the device.
TEST_F(DeviceLockTest, WhoComesFirstIsServedFirst) {
  constexpr int kWaiters = 5;
  const auto order = root_ / "order";
  Holder holder(folder_);
  std::vector<pid_t> waiters;
  for (int i = 0; i < kWaiters; ++i) {
    const auto waits = root_ / fmt::format("waits-{}", i);
    waiters.push_back(start_child([&] {
      const auto lock = DeviceLock::take(folder_, "GPU-1", kSecond, [&](const DeviceWait& wait) {
        std::ofstream(waits) << wait.place << std::flush;
        return true;
      });
      std::ofstream(order, std::ios::app) << i << std::flush;
      return lock ? 0 : 1;
    }));
    const fs::path file = folder_ / "kbench-GPU-1.lock";
    ASSERT_TRUE(
        await([&] { return waiting_for(file).count == i + 1; }, "it to stand in the queue"));
    int place = 0;
    std::ifstream(waits) >> place;
    EXPECT_EQ(place, i + 1);
  }
  holder.kill();  // the waiters hold the other ends of its pipes, too
  for (const pid_t waiter : waiters) EXPECT_EQ(wait_for(waiter), 0);
  std::string served;
  std::ifstream(order) >> served;
  EXPECT_EQ(served, "01234");
  EXPECT_TRUE(fs::is_empty(folder_)) << "nor is a place left behind";
}

TEST_F(DeviceLockTest, TheDeadKeepNoPlace) {
  Holder holder(folder_);
  const fs::path file = folder_ / "kbench-GPU-1.lock";
  const pid_t waiter = start_child([&] { return take(folder_, kSecond, true) ? 0 : 1; });
  ASSERT_TRUE(await([&] { return waiting_for(file).count == 1; }, "it to stand in the queue"));
  ::kill(waiter, SIGKILL);
  EXPECT_EQ(wait_for(waiter), -SIGKILL);
  EXPECT_EQ(holder.end(), 0);
  EXPECT_TRUE(take(folder_, kFirst).ok());
}

TEST_F(DeviceLockTest, WhoDoesNotWaitGoesBeforeNobody) {
  const fs::path file = folder_ / "kbench-GPU-1.lock";
  fs::create_directory(folder_);
  const auto first = QueuePlace::take(file);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->ahead().count, 0);
  const auto second = QueuePlace::take(file);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ahead().count, 1);
  EXPECT_FALSE(take(folder_, kSecond).ok()) << "the lock is free, and the queue is not";
}

TEST_F(DeviceLockTest, WhatStandsInTheFileSteersNoTerminal) {
  const auto lock = take(folder_, {"1\x1b[2J", "run\x07" + std::string(1000, 'x')});
  const auto second = take(folder_, kSecond);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message.find('\x1b'), std::string::npos);
  EXPECT_EQ(second.error().message.find('\x07'), std::string::npos);
  EXPECT_LT(second.error().message.size(), 600U);
}

TEST_F(DeviceLockTest, AFolderThatCannotBeIsAnErrorAndNotAWait) {
  std::ofstream(root_ / "file") << "";
  const auto lock = take(root_ / "file", kFirst, /*wait=*/true);
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, HasSubstr("opening it failed"));
}

// Locks in a folder such as /tmp. Only root can become two users.
TEST_F(DeviceLockTest, HoldsAmongUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become two users";
  std::filesystem::create_directory(folder_);
  ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  const auto as_user = [&](uid_t user, const LockSeeker& self) {
    return wait_for(start_child([&] {
      ::umask(077);
      if (::setuid(user) != 0) return 3;
      const auto lock = take(folder_, self);
      if (lock) return ::raise(SIGKILL);  // the file stays, which only its user may remove
      return lock.error().message.find(kFirst.what) == std::string::npos ? 2 : 1;
    }));
  };
  EXPECT_EQ(as_user(12345, kSecond), -SIGKILL);
  {
    const auto lock = take(folder_, kFirst);
    ASSERT_TRUE(lock.ok()) << lock.error().message;
    EXPECT_EQ(as_user(12346, kSecond), 1) << "waits for the first, and is told its name";
  }
  EXPECT_EQ(as_user(12346, kSecond), -SIGKILL);
}

TEST_F(DeviceLockTest, WhatHasTheNameOfTheFileHoldsUpNobody) {
  std::filesystem::create_directory(folder_);
  ASSERT_EQ(::mkfifo((folder_ / "kbench-GPU-1.lock").c_str(), 0666), 0);
  std::filesystem::create_symlink(root_ / "elsewhere", folder_ / "kbench-GPU-2.lock");
  const auto pipe = take(folder_, kFirst, /*wait=*/true);
  ASSERT_FALSE(pipe.ok());
  EXPECT_THAT(pipe.error().message, HasSubstr("locking what is no file"));
  const auto link = take(folder_, kFirst, /*wait=*/true, "GPU-2");
  ASSERT_FALSE(link.ok());
  EXPECT_FALSE(std::filesystem::exists(root_ / "elsewhere"));
}

TEST_F(DeviceLockTest, WhoNeedsItNoMoreWaitsForNobodyAndIsToldOfNobody) {
  const auto held = take(folder_, kFirst);
  ASSERT_TRUE(held.ok());
  bool told = false;
  int waiting = 0;  // while it is asked: its place is kept
  const auto lock = DeviceLock::take(
      folder_, "GPU-1", kSecond, [&](const DeviceWait&) { return told = true; },
      [&] {
        waiting = DeviceLock::waiters(folder_, "GPU-1");
        return true;
      });
  ASSERT_TRUE(lock.ok());
  EXPECT_FALSE(lock->is_held());
  EXPECT_FALSE(told);
  EXPECT_EQ(waiting, 1);
  EXPECT_EQ(DeviceLock::waiters(folder_, "GPU-1"), 0);
}

// Time in the queue is not the holder's: a run that had waited long said that it held the device
// since before it did, and until a time that had passed.
TEST_F(DeviceLockTest, AHolderSaysSinceAndUntilWhenFromWhenItGotTheLock) {
  const auto first = LockSeeker{"1", "run a", 600}.as_holder();
  const auto since = parse_utc(first.since), until = parse_utc(first.until);
  ASSERT_TRUE(since && until);
  EXPECT_EQ(*until - *since, 600s);
  const auto held = take(folder_, {"4711", "run 0123456789ab", 600});
  ASSERT_TRUE(held.ok());
  const auto second = take(folder_, kSecond);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr(", probably until "));
  held->tell({"4711", "run 0123456789ab"});
  EXPECT_THAT(take(folder_, kSecond).error().message, Not(HasSubstr(", probably until ")));
}

TEST_F(DeviceLockTest, WhoWaitsIsToldAboutHowLong) {
  DeviceWait wait{{"1", "run a", utc_now(), utc_in(600)}, 2, 300.0};
  ASSERT_TRUE(wait.seconds_left());
  EXPECT_NEAR(*wait.seconds_left(), 900, 60);
  wait.ahead_seconds.reset();
  EXPECT_FALSE(wait.seconds_left()) << "one of those before it does not know";
  wait.ahead_seconds = 0;
  for (const std::string until : {"", "soon", "2026-11-21T13:20:00Z and more"}) {
    wait.holder.until = until;
    EXPECT_FALSE(wait.seconds_left()) << until;
  }
  wait.holder.until = "2020-01-01T00:00:00Z";
  EXPECT_FALSE(wait.seconds_left()) << "it has taken longer than it expected";
}

TEST_F(DeviceLockTest, ThoseBeforeSayHowLongTheyWillTake) {
  const fs::path file = folder_ / "kbench-GPU-1.lock";
  fs::create_directory(folder_);
  const auto first = QueuePlace::take(file, 600);
  const auto second = QueuePlace::take(file, 30);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto third = QueuePlace::take(file);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(first->ahead().seconds, 0.0);
  EXPECT_EQ(second->ahead().seconds, 600.0);
  EXPECT_EQ(third->ahead().seconds, 630.0);
  EXPECT_EQ(waiting_for(file).count, 3);
  EXPECT_FALSE(waiting_for(file).seconds) << "the third does not say";
}

TEST_F(DeviceLockTest, WhatStandsInAPlaceIsANumberOfSecondsOrNothing) {
  const fs::path file = folder_ / "kbench-GPU-1.lock";
  fs::create_directory(folder_);
  const auto place = QueuePlace::take(file, 5);
  ASSERT_TRUE(place.ok());
  const fs::path its = fs::directory_iterator(folder_)->path();
  for (const std::string text : {"-5", "nan", "1e9", "99999999999999999999", "x"}) {
    std::ofstream(its) << text << std::flush;
    EXPECT_FALSE(waiting_for(file).seconds) << text;
  }
}

TEST(DeviceLock, TheCpuIsThatOfTheRunningKernel) {
  EXPECT_THAT(cpu_lock_name(), StartsWith("cpu-"));
  EXPECT_EQ(cpu_lock_name(), cpu_lock_name());
}

}  // namespace
}  // namespace kbench
