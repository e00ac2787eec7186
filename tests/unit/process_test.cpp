// How sandboxed programs end, are killed, frozen, and die with their supervisor.
#include "runner/sandbox/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <future>
#include <thread>

#include "tests/fakes/sandbox_fixture.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

class ProcessTest : public SandboxFixture {};
INSTANTIATE_TEST_SUITE_P(Modes, ProcessTest, ::testing::ValuesIn(sandbox_modes()), mode_name);

// A pipe whose reading end shows when the last process that inherited the other one is gone.
struct Witness {
  Witness() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
  }

  // True when no holder is left within the time.
  [[nodiscard]] bool all_gone(std::chrono::milliseconds timeout) const {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (std::chrono::steady_clock::now() < deadline) {
      pollfd poll_fd{read.get(), POLLIN, 0};
      if (::poll(&poll_fd, 1, 100) <= 0) continue;
      char byte[256];
      if (::read(read.get(), byte, sizeof byte) == 0) return true;
    }
    return false;
  }

  // Waits for `text` from inside.
  [[nodiscard]] bool says(const std::string& text, std::chrono::milliseconds timeout) const {
    std::string heard;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (std::chrono::steady_clock::now() < deadline) {
      pollfd poll_fd{read.get(), POLLIN, 0};
      if (::poll(&poll_fd, 1, 100) <= 0) continue;
      char bytes[256];
      const ssize_t got = ::read(read.get(), bytes, sizeof bytes);
      if (got <= 0) return false;
      heard.append(bytes, static_cast<std::size_t>(got));
      if (heard.find(text) != std::string::npos) return true;
    }
    return false;
  }

  UniqueFd read;
  UniqueFd write;
};

TEST_P(ProcessTest, ReportsExitCodesAndSignals) {
  EXPECT_EQ(code_of(guest({"exit", "0"})), 0);
  EXPECT_EQ(code_of(guest({"exit", "42"})), 42);
  EXPECT_EQ(code_of(guest({"exit", "255"})), 255);
  for (const int number : {SIGSEGV, SIGABRT, SIGKILL, SIGFPE}) {
    const auto output = run(guest({"signal", std::to_string(number)}));
    EXPECT_FALSE(output.exit.exited);
    EXPECT_EQ(output.exit.signal, number);
  }
}

// A program that exits with 139 did not crash, whatever layers stand between it and us.
TEST_P(ProcessTest, CodesThatLookLikeSignalsStayCodes) {
  for (const int code : {128, 134, 137, 139}) {
    const auto output = run(guest({"exit", std::to_string(code)}));
    EXPECT_TRUE(output.exit.exited);
    EXPECT_EQ(output.exit.code, code);
  }
}

TEST_P(ProcessTest, WaitTimesOutAndExitFdShowsTheEnd) {
  auto process = sandbox_->start(guest({"sleep"}));
  ASSERT_TRUE(process.ok()) << process.error().message;
  const auto early = (*process)->wait(20ms);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().code, ErrorCode::kTimeout);
  pollfd end{(*process)->exit_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 0);
  (*process)->kill();
  EXPECT_EQ(::poll(&end, 1, 0), 1);
  const auto late = (*process)->wait(0ms);
  ASSERT_TRUE(late.ok()) << late.error().message;
  EXPECT_FALSE(late->exited);
  EXPECT_EQ(late->signal, SIGKILL);
}

TEST_P(ProcessTest, KillLeavesNothing) {
  Witness witness;
  SandboxCommand command = guest({"daemon"});
  command.descriptors = {{witness.write.get(), 1}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  witness.write.reset();
  ASSERT_TRUE(witness.says("ready", 10s));
  (*process)->kill();
  EXPECT_TRUE(witness.all_gone(1s));
}

TEST_P(ProcessTest, NothingOutlivesTheProgram) {
  Witness witness;
  SandboxCommand command = guest({"daemon-and-end"});
  command.descriptors = {{witness.write.get(), 9}};
  EXPECT_EQ(code_of(command), 0);
  witness.write.reset();
  EXPECT_TRUE(witness.all_gone(1s));
}

TEST_P(ProcessTest, NothingOutlivesAKilledSupervisor) {
  Witness witness;
  const SandboxCommand base = guest({"daemon"});  // copies the guest before the fork
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    SandboxCommand command = base;
    command.descriptors = {{witness.write.get(), 1}};
    const auto own = make_sandbox(GetParam().options);
    const auto process = own->start(command);
    while (process.ok()) ::pause();
    ::_exit(1);
  }
  witness.write.reset();
  ASSERT_TRUE(witness.says("ready", 10s));
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
  EXPECT_TRUE(witness.all_gone(5s));
}

TEST_P(ProcessTest, OutlivesTheThreadThatStartedIt) {
  Witness witness;
  SandboxCommand command = guest({"daemon"});
  command.descriptors = {{witness.write.get(), 1}};
  Result<std::unique_ptr<SandboxedProcess>> process = Error{};
  std::thread([&] { process = sandbox_->start(command); }).join();
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(witness.says("ready", 10s));
  EXPECT_FALSE((*process)->wait(50ms).ok());
}

TEST_P(ProcessTest, ForkBombIsBoundedAndKilled) {
  Witness witness;
  SandboxCommand command = guest({"bomb"});
  command.max_processes = 40;
  command.descriptors = {{witness.write.get(), 1}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  witness.write.reset();
  EXPECT_TRUE(witness.says("refused", 10s));
  (*process)->kill();
  EXPECT_TRUE(witness.all_gone(1s));
}

class SharedCounter {
 public:
  SharedCounter() : fd_(::memfd_create("counter", MFD_CLOEXEC)) {
    if (::ftruncate(fd_.get(), sizeof(Value)) != 0) throw std::runtime_error("ftruncate failed");
    void* memory = ::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
    value_ = static_cast<Value*>(memory);
  }
  ~SharedCounter() { ::munmap(static_cast<void*>(value_), sizeof(Value)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::uint64_t value() const { return value_->load(); }
  // True when somebody counts within the time.
  [[nodiscard]] bool moves(std::chrono::milliseconds timeout) const {
    const std::uint64_t before = value();
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (std::chrono::steady_clock::now() < deadline) {
      if (value() != before) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

 private:
  using Value = std::atomic<std::uint64_t>;
  UniqueFd fd_;
  Value* value_ = nullptr;
};

// The child of this process that keeps a sandboxed program.
pid_t keeper_of(pid_t supervisor) {
  std::vector<ProcessEntry> table(65536);
  const std::size_t count = find_descendants(supervisor, table).count;
  for (std::size_t i = 0; i < count; ++i) {
    std::ifstream comm("/proc/" + std::to_string(table[i].pid) + "/comm");
    std::string name;
    std::getline(comm, name);
    if (name == "kbench-keeper") return table[i].pid;
  }
  return -1;
}

TEST_P(ProcessTest, FreezeStopsEveryThreadAndThawContinues) {
  const SharedCounter counter;
  SandboxCommand command = guest({"count", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves(10s));
  for (int round = 0; round < 20; ++round) {
    const auto frozen = (*process)->freeze();
    ASSERT_TRUE(frozen.ok()) << frozen.error().message;
    const std::uint64_t held = counter.value();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(counter.value(), held);
    ASSERT_TRUE((*process)->thaw().ok());
    EXPECT_TRUE(counter.moves(10s));
  }
  EXPECT_TRUE((*process)->freeze().ok());
  (*process)->kill();  // what is frozen can be killed
  EXPECT_FALSE(counter.moves(20ms));
  EXPECT_TRUE((*process)->freeze().ok());
}

TEST_P(ProcessTest, AProcessWhoseLeaderHasEndedIsFrozenAndKilled) {
  const SharedCounter counter;
  SandboxCommand command = guest({"count-without-leader", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves(10s));
  std::this_thread::sleep_for(20ms);  // its leader ends
  const auto frozen = (*process)->freeze();
  ASSERT_TRUE(frozen.ok()) << frozen.error().message;
  const auto known = (*process)->processes();
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known->size(), 2u);
  EXPECT_FALSE(counter.moves(20ms));
  ASSERT_TRUE((*process)->thaw().ok());
  ASSERT_TRUE(counter.moves(10s));
  (*process)->kill();
  EXPECT_FALSE(counter.moves(20ms));
  EXPECT_EQ(sandbox_->undead(), 0);
}

TEST_P(ProcessTest, ThreadsThatRelieveEachOtherAreFrozen) {
  const SharedCounter counter;
  SandboxCommand command = guest({"relay", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves(10s));
  for (int round = 0; round < 20; ++round) {
    const auto frozen = (*process)->freeze();
    ASSERT_TRUE(frozen.ok()) << frozen.error().message;
    EXPECT_FALSE(counter.moves(5ms));
    ASSERT_TRUE((*process)->thaw().ok());
    EXPECT_TRUE(counter.moves(10s));
  }
}

// Without a filter it may: but then it does not go unnoticed, unless a control group holds it.
TEST_P(ProcessTest, WhoContinuesItselfIsHeldOrFound) {
  const SharedCounter counter;
  SandboxCommand command = guest({"continue", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves(10s));
  for (int round = 0; round < 10; ++round) {
    const auto frozen = (*process)->freeze();
    if (!frozen) {
      EXPECT_TRUE(level().freezer.empty());
      EXPECT_EQ(frozen.error().code, ErrorCode::kTimeout);
      return;
    }
    EXPECT_FALSE(counter.moves(5ms));
    ASSERT_TRUE((*process)->thaw().ok());
  }
}

// Somebody else, of the same user or root, continues it.
TEST_P(ProcessTest, AThawFindsWhoWasContinued) {
  if (!level().freezer.empty()) GTEST_SKIP() << "a control group holds it";
  const SharedCounter counter;
  SandboxCommand command = guest({"count", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves(10s));
  ASSERT_TRUE((*process)->freeze().ok());
  const auto known = (*process)->processes();
  ASSERT_TRUE(known.ok());
  for (const pid_t pid : *known) ::kill(pid, SIGCONT);
  ASSERT_TRUE(counter.moves(10s));
  const auto thawed = (*process)->thaw();
  ASSERT_FALSE(thawed.ok());
  EXPECT_EQ(thawed.error().code, ErrorCode::kSubmission);
}

TEST_P(ProcessTest, NobodyWhoLivesIsForgotten) {
  auto process = sandbox_->start(guest({"sleep"}));
  ASSERT_TRUE(process.ok()) << process.error().message;
  const auto before = (*process)->processes();
  ASSERT_TRUE(before.ok());
  ASSERT_FALSE(before->empty());
  (*process)->forget(before->front());
  const auto after = (*process)->processes();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(*after, *before) << "it lives";
}

// Whoever has no descriptor left can see nobody: that is no proof that nobody is there.
TEST_P(ProcessTest, AFreezeThatCannotLookFails) {
  if (!level().freezer.empty()) GTEST_SKIP() << "a control group needs no look";
  auto process = sandbox_->start(guest({"sleep"}));
  ASSERT_TRUE(process.ok()) << process.error().message;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto first = (*process)->freeze();
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().code, ErrorCode::kInfrastructure);
  ASSERT_TRUE((*process)->freeze().ok());
  ASSERT_TRUE((*process)->thaw().ok());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto again = (*process)->freeze();
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(again.ok());
}

// Then nobody waits for what was below it.
TEST_P(ProcessTest, NothingOutlivesAKilledKeeper) {
  const SharedCounter counter;
  SandboxCommand command = guest({"count-without-leader", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  for (std::size_t known = 0; known < 2;) {
    const auto processes = (*process)->processes();
    ASSERT_TRUE(processes.ok());
    known = processes->size();
  }
  ASSERT_TRUE(counter.moves(10s));
  const auto keeper = keeper_of(::getpid());
  ASSERT_GT(keeper, 0);
  ::kill(keeper, SIGKILL);
  EXPECT_FALSE((*process)->wait(5s).ok());
  EXPECT_FALSE(counter.moves(20ms));
  EXPECT_EQ(sandbox_->undead(), 0);
}

TEST_P(ProcessTest, RunToEndKeepsTheHeadOfAFlood) {
  const auto output = run_to_end(*sandbox_, guest({"flood"}), 20s, 1000);
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(output->out, std::string(1000, 'y'));
  EXPECT_TRUE(output->truncated);
  EXPECT_TRUE(output->exit.exited);
  EXPECT_EQ(output->exit.code, 0);
}

TEST_P(ProcessTest, RunToEndStopsAtItsDeadline) {
  const auto output = run_to_end(*sandbox_, guest({"daemon"}), 500ms);
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_TRUE(output->timed_out);
  EXPECT_EQ(output->out, "ready\n");
  EXPECT_FALSE(output->exit.exited);
}

TEST_P(ProcessTest, ManyAtOnce) {
  std::vector<std::future<int>> codes;
  for (int i = 0; i < 12; ++i) {
    const SandboxCommand command = guest({"exit", std::to_string(i)});
    codes.push_back(std::async(std::launch::async, [this, command] { return code_of(command); }));
  }
  for (int i = 0; i < 12; ++i) EXPECT_EQ(codes[static_cast<std::size_t>(i)].get(), i);
}

TEST(ProcessTree, FindsOurOwnChild) {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  std::vector<ProcessEntry> table(65536);
  const std::size_t count = find_descendants(::getpid(), table).count;
  bool found = false;
  for (std::size_t i = 0; i < count; ++i) found |= table[i].pid == child;
  EXPECT_TRUE(found);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace kbench
