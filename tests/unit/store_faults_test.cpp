// Faults of the machine at a store: kills, competing writers, locks, full disks, missing rights.
// Each fault happens in a child process; this process looks at the file afterwards.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/unique_fd.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::start_child;
using test::TemporaryFolder;
using test::wait_for;
using ::testing::HasSubstr;

constexpr int kSkipChild = 77;

class StoreFaults : public ::testing::Test {
 protected:
  // Every stored evaluation of the run is whole; returns how many there are, or -1.
  int whole_evaluations(const std::string& run_id, std::size_t samples) {
    const Result<Store> store = Store::open(file_, Store::Mode::kReadWrite);
    EXPECT_TRUE(store.ok()) << store.error().message;
    if (!store) return -1;
    const auto evaluations = store->evaluations(run_id);
    EXPECT_TRUE(evaluations.ok()) << evaluations.error().message;
    if (!evaluations) return -1;
    for (const Evaluation& evaluation : *evaluations) {
      EXPECT_EQ(evaluation.samples.size(), samples);
      EXPECT_EQ(evaluation.checks.size(), 5u);
    }
    SQLite::Database raw(file_.string());
    EXPECT_EQ(raw.execAndGet("PRAGMA integrity_check").getString(), "ok");
    return static_cast<int>(evaluations->size());
  }

  void begin(const std::string& run_id) {
    Result<Store> store = Store::open(file_, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok()) << store.error().message;
    ASSERT_TRUE(store->begin_run(make_run(run_id)).ok());
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

// Adds evaluations for ever, writing one byte into `acknowledge` after each.
int add_for_ever(const std::filesystem::path& file, int acknowledge) {
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  if (!store) return 1;
  for (int i = 0;; ++i) {
    if (!store->add(make_evaluation("r1", i, 300)).ok()) return 2;
    if (::write(acknowledge, "+", 1) != 1) return 3;
  }
}

TEST_F(StoreFaults, SigkillLosesNothingThatWasAcknowledged) {
  begin("r1");
  int known = 0;
  for (int round = 0; round < 8; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    const pid_t child = start_child([&] { return add_for_ever(file_, writer.get()); });
    writer.reset();
    // The child first skips what earlier rounds stored: let it come to something new.
    std::array<char, 4096> bytes{};
    int acknowledged = 0;
    while (acknowledged <= known + round) {
      const ssize_t count = ::read(reader.get(), bytes.data(), bytes.size());
      ASSERT_GT(count, 0) << "the child ended early";
      acknowledged += static_cast<int>(count);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(137 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(wait_for(child), -SIGKILL);
    for (ssize_t count = 1; count > 0;) {
      count = ::read(reader.get(), bytes.data(), bytes.size());
      acknowledged += static_cast<int>(count);
    }
    const int stored = whole_evaluations("r1", 300);
    EXPECT_GE(stored, acknowledged);
    EXPECT_LE(stored, acknowledged + 1);
    known = stored;
  }
}

TEST_F(StoreFaults, TwoWritersOnANewFileBothSucceed) {
  const auto write_run = [&](const std::string& id) {
    Result<Store> store = Store::open(file_, Store::Mode::kReadWrite);
    if (!store || !store->begin_run(make_run(id)).ok()) return 1;
    for (int i = 0; i < 40; ++i)
      if (!store->add(make_evaluation(id, i, 50)).ok()) return 2;
    return 0;
  };
  const pid_t first = start_child([&] { return write_run("r1"); });
  const pid_t second = start_child([&] { return write_run("r2"); });
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  EXPECT_EQ(whole_evaluations("r1", 50), 40);
  EXPECT_EQ(whole_evaluations("r2", 50), 40);
}

TEST_F(StoreFaults, TwoWritersOfOneRunLeaveNoDoubleRow) {
  begin("r1");
  const auto write_all = [&] {
    Result<Store> store = Store::open(file_, Store::Mode::kReadWrite);
    if (!store) return 1;
    for (int i = 0; i < 40; ++i)
      if (!store->add(make_evaluation("r1", i, 50)).ok()) return 2;
    return 0;
  };
  const pid_t first = start_child(write_all);
  const pid_t second = start_child(write_all);
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  EXPECT_EQ(whole_evaluations("r1", 50), 40);
}

TEST_F(StoreFaults, ALockHeldTooLongIsNamed) {
  begin("r1");
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  const SQLite::Transaction lock(other, SQLite::TransactionBehavior::IMMEDIATE);
  Result<Store> store = Store::open(file_, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok()) << "readers are not kept out by a writer";
  Result<Store> writer = Store::open(file_, Store::Mode::kReadWrite);
  const Status status = writer ? writer->add(make_evaluation("r1", 1)) : Status(writer.error());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("locked by another process"));
  EXPECT_THAT(status.error().hint, HasSubstr("try again"));
}

// Gives up root where the tests run as root, since root may write everywhere.
void drop_root() {
  if (::getuid() != 0) return;
  if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(kSkipChild);
}

TEST_F(StoreFaults, AFolderThatCannotBeWrittenIsReadAndNamed) {
  begin("r1");
  ASSERT_FALSE(std::filesystem::exists(file_.string() + "-wal"));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0555});
  std::filesystem::permissions(file_, std::filesystem::perms{0444});
  const int code = wait_for(start_child([&] {
    drop_root();
    const Result<Store> reader = Store::open(file_, Store::Mode::kReadOnly);
    if (!reader || !reader->find_run("r1")->has_value()) return 1;
    const Result<Store> writer = Store::open(file_, Store::Mode::kReadWrite);
    if (writer) return 2;
    if (writer.error().message.find("cannot be") == std::string::npos) return 3;
    if (writer.error().hint.find("--db") == std::string::npos) return 4;
    const Result<Store> created = Store::open(folder_ / "new.sqlite", Store::Mode::kReadWrite);
    if (created) return 5;
    return created.error().message.find("cannot be opened") == std::string::npos ? 6 : 0;
  }));
  if (code == kSkipChild) GTEST_SKIP() << "this root may not change its user";
  EXPECT_EQ(code, 0);
}

// Adds until it fails; 0 when the failure says what it should and nothing more.
int add_until_failure(const std::filesystem::path& file, std::string_view expected) {
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  if (!store) return store.error().message.find(expected) == std::string::npos ? 1 : 0;
  for (int i = 0; i < 10000; ++i) {
    const Status status = store->add(make_evaluation("r1", i, 200));
    if (status) continue;
    if (status.error().message.find(expected) == std::string::npos) return 2;
    return status.error().hint.find("--resume") == std::string::npos ? 3 : 0;
  }
  return 4;
}

// The size at which writing fails moves on step by step, and each time the file must be whole.
TEST_F(StoreFaults, AFailedWriteAtAnyPointLeavesTheFileWhole) {
  begin("r1");
  int before = 0;
  for (rlim_t limit = 40'000; limit < 200'000; limit += 7'001) {
    const int code = wait_for(start_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit bound{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &bound) != 0) return kSkipChild;
      return add_until_failure(file_, "writing failed");
    }));
    EXPECT_EQ(code, 0) << limit;
    const int stored = whole_evaluations("r1", 200);
    EXPECT_GE(stored, before) << limit;
    before = stored;
  }
  EXPECT_GT(before, 0);
}

// Names a run until that fails; 0 when the hint fits a command that cannot be continued.
int tag_until_failure(const std::filesystem::path& file) {
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  if (!store) return 1;
  for (int i = 0; i < 10000; ++i) {
    const Status status = store->put(Tag{"name-" + std::to_string(i), "r1", ""});
    if (status) continue;
    const std::string& hint = status.error().hint;
    if (hint.find("disk") == std::string::npos && hint.find("space") == std::string::npos) return 2;
    return hint.find("--resume") != std::string::npos ? 3 : 0;
  }
  return 4;
}

TEST_F(StoreFaults, OnlyARunIsContinuedOnceThereIsRoom) {
  begin("r1");
  const int code = wait_for(start_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit bound{60'000, 60'000};
    if (::setrlimit(RLIMIT_FSIZE, &bound) != 0) return kSkipChild;
    return tag_until_failure(file_);
  }));
  EXPECT_EQ(code, 0);
}

// Without a map nobody owns anything there, and no file can be created.
bool own_mounts_as_a_plain_user() {
  const std::string user = std::to_string(::getuid());
  const std::string group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return ::getuid() == 0;
}

TEST_F(StoreFaults, AFullDiskIsNamedAndStorageGoesOnOnceThereIsRoom) {
  const std::filesystem::path disk = folder_ / "disk";
  std::filesystem::create_directory(disk);
  const int code = wait_for(start_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 && !own_mounts_as_a_plain_user()) return kSkipChild;
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=640k") != 0) return kSkipChild;
    const std::filesystem::path file = disk / "kbench.sqlite";
    {
      Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
      if (!store || !store->begin_run(make_run("r1")).ok()) return 10;
    }
    if (const int failed = add_until_failure(file, "disk is full"); failed != 0) return failed;
    if (::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=4m") != 0) return 11;
    Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
    if (!store) return 12;
    const auto evaluations = store->evaluations("r1");
    if (!evaluations || evaluations->empty()) return 13;
    for (const Evaluation& evaluation : *evaluations)
      if (evaluation.samples.size() != 200) return 14;
    return store->add(make_evaluation("r1", 20'000, 200)).ok() ? 0 : 15;
  }));
  if (code == kSkipChild) GTEST_SKIP() << "no small file system can be mounted here";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace kbench
