// How sandboxed programs end, are killed, frozen, and die with their supervisor.
#include "runner/sandbox/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/fakes/await.hpp"
#include "tests/fakes/sandbox_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::await;
using test::kPatience;
using test::state_in_proc;
using test::with_longer_limits;

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

  // Waits until no holder is left.
  [[nodiscard]] bool all_gone() const {
    return await([this] { return hear() == 0; }, "the end of everybody who holds the pipe");
  }

  // Waits for `text` from inside.
  [[nodiscard]] bool says(const std::string& text) const {
    bool ended = false;
    const auto said = [&] {
      ended = ended || hear() == 0;
      return ended || heard.find(text) != std::string::npos;
    };
    return await(said, "somebody to say " + text) && !ended;
  }

  // How many bytes came: -1 where there are none yet, 0 where nobody is left to write.
  ssize_t hear() const {
    pollfd poll_fd{read.get(), POLLIN, 0};
    if (::poll(&poll_fd, 1, 0) <= 0) return -1;
    char bytes[256];
    const ssize_t got = ::read(read.get(), bytes, sizeof bytes);
    if (got > 0) heard.append(bytes, static_cast<std::size_t>(got));
    return got;
  }

  UniqueFd read;
  UniqueFd write;
  mutable std::string heard;
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
  ASSERT_TRUE(witness.says("ready"));
  (*process)->kill();
  EXPECT_TRUE(witness.all_gone());
}

TEST_P(ProcessTest, NothingOutlivesTheProgram) {
  Witness witness;
  SandboxCommand command = guest({"daemon-and-end"});
  command.descriptors = {{witness.write.get(), 9}};
  EXPECT_EQ(code_of(command), 0);
  witness.write.reset();
  EXPECT_TRUE(witness.all_gone());
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
  ASSERT_TRUE(witness.says("ready"));
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
  EXPECT_TRUE(witness.all_gone());
}

TEST_P(ProcessTest, OutlivesTheThreadThatStartedIt) {
  Witness witness;
  SandboxCommand command = guest({"daemon"});
  command.descriptors = {{witness.write.get(), 1}};
  Result<std::unique_ptr<SandboxedProcess>> process = Error{};
  pid_t starter = 0;
  std::thread([&] {
    starter = ::gettid();
    process = sandbox_->start(command);
  }).join();
  // Joined, a thread may still be about to end; what dies with it is told before it leaves /proc.
  ASSERT_TRUE(await([&] { return state_in_proc(starter) == '\0'; }, "the end of the thread"));
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(witness.says("ready"));
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
  EXPECT_TRUE(witness.says("refused"));
  (*process)->kill();
  EXPECT_TRUE(witness.all_gone());
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
  // Waits until somebody counts.
  [[nodiscard]] bool moves() const {
    const std::uint64_t before = value();
    return await([&] { return value() != before; }, "somebody to count");
  }
  // Whether nobody counts for so long. Who may count is on a core soon after it was let.
  [[nodiscard]] bool stands_still(std::chrono::milliseconds time) const {
    const std::uint64_t before = value();
    std::this_thread::sleep_for(time);
    return value() == before;
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
  ASSERT_TRUE(counter.moves());
  for (int round = 0; round < 20; ++round) {
    const auto frozen = (*process)->freeze();
    ASSERT_TRUE(frozen.ok()) << frozen.error().message;
    EXPECT_TRUE(counter.stands_still(5ms));
    ASSERT_TRUE((*process)->thaw().ok());
    EXPECT_TRUE(counter.moves());
  }
  EXPECT_TRUE((*process)->freeze().ok());
  (*process)->kill();  // a frozen process can be killed
  EXPECT_TRUE(counter.stands_still(20ms));
  EXPECT_TRUE((*process)->freeze().ok());
}

TEST_P(ProcessTest, AProcessWhoseLeaderHasEndedIsFrozenAndKilled) {
  const SharedCounter counter;
  SandboxCommand command = guest({"count-without-leader", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves());
  const auto leader_has_ended = [&] {
    const auto all = (*process)->processes();
    return all && std::any_of(all->begin(), all->end(),
                              [](pid_t pid) { return state_in_proc(pid) == 'Z'; });
  };
  ASSERT_TRUE(await(leader_has_ended, "a process whose leader has ended"));
  const auto frozen = (*process)->freeze();
  ASSERT_TRUE(frozen.ok()) << frozen.error().message;
  const auto known = (*process)->processes();
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known->size(), 2u);
  EXPECT_TRUE(counter.stands_still(20ms));
  ASSERT_TRUE((*process)->thaw().ok());
  ASSERT_TRUE(counter.moves());
  (*process)->kill();
  EXPECT_TRUE(counter.stands_still(20ms));
  EXPECT_EQ(sandbox_->undead(), 0);
}

TEST_P(ProcessTest, ThreadsThatRelieveEachOtherAreFrozen) {
  const SharedCounter counter;
  SandboxCommand command = guest({"relay", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves());
  for (int round = 0; round < 20; ++round) {
    const auto frozen = (*process)->freeze();
    ASSERT_TRUE(frozen.ok()) << frozen.error().message;
    EXPECT_TRUE(counter.stands_still(5ms));
    ASSERT_TRUE((*process)->thaw().ok());
    EXPECT_TRUE(counter.moves());
  }
}

// Without a filter it may: but then it does not go unnoticed, unless a control group holds it.
TEST_P(ProcessTest, WhoContinuesItselfIsHeldOrFound) {
  // A freeze without a control group looks at it for five seconds before it gives up: once with all
  // other layers and once with none.
  const std::string mode = GetParam().name;
  if (level().freezer.empty() && mode != "WithoutFreezer" && mode != "Nothing")
    GTEST_SKIP() << "WithoutFreezer and Nothing have it";
  const SharedCounter counter;
  SandboxCommand command = guest({"continue", "5"});
  command.descriptors = {{counter.fd(), 5}};
  auto process = sandbox_->start(command);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(counter.moves());
  for (int round = 0; round < 10; ++round) {
    const auto frozen = (*process)->freeze();
    if (!frozen) {
      EXPECT_TRUE(level().freezer.empty());
      EXPECT_EQ(frozen.error().code, ErrorCode::kTimeout);
      return;
    }
    EXPECT_TRUE(counter.stands_still(5ms));
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
  ASSERT_TRUE(counter.moves());
  ASSERT_TRUE((*process)->freeze().ok());
  const auto known = (*process)->processes();
  ASSERT_TRUE(known.ok());
  for (const pid_t pid : *known) ::kill(pid, SIGCONT);
  ASSERT_TRUE(counter.moves());
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

// A supervisor without a free descriptor can see nobody: that is no proof that nobody is there.
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
  const auto both_are_known = [&] {
    const auto processes = (*process)->processes();
    return processes && processes->size() >= 2;
  };
  ASSERT_TRUE(await(both_are_known, "both processes to be known"));
  ASSERT_TRUE(counter.moves());
  const auto keeper = keeper_of(::getpid());
  ASSERT_GT(keeper, 0);
  ::kill(keeper, SIGKILL);
  const auto exit = (*process)->wait(kPatience);
  ASSERT_FALSE(exit.ok());
  EXPECT_EQ(exit.error().code, ErrorCode::kInfrastructure) << exit.error().message;
  EXPECT_TRUE(counter.stands_still(20ms));
  EXPECT_EQ(sandbox_->undead(), 0);
}

// Folders of the control groups of running sandboxes: their entrances are open here.
std::vector<fs::path> own_groups() {
  std::vector<fs::path> groups;
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed;  // the iterator's own is one of them
    const fs::path file = fs::read_symlink(descriptor.path(), closed);
    if (file.filename() == "cgroup.procs") groups.push_back(file.parent_path());
  }
  return groups;
}

// It would run beside all that is measured from now on.
TEST_P(ProcessTest, WhoeverIsLeftInItsControlGroupIsTold) {
  const bool has_group = !level().cgroup.empty() || !level().freezer.empty();
  const pid_t stranger = ::fork();  // before there is a lifeline, which it would hold
  while (stranger == 0) ::pause();
  auto process = sandbox_->start(guest({"sleep"}));
  EXPECT_TRUE(process.ok()) << process.error().message;
  const std::vector<fs::path> groups = own_groups();
  EXPECT_EQ(groups.empty(), !has_group);
  for (const fs::path& group : groups) std::ofstream(group / "cgroup.procs") << stranger;
  if (process) (*process)->kill();
  EXPECT_EQ(sandbox_->undead(), has_group ? 1 : 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  const auto removed = [&] {
    for (const fs::path& group : groups) ::rmdir(group.c_str());
    return std::none_of(groups.begin(), groups.end(),
                        [](const fs::path& group) { return fs::exists(group); });
  };
  EXPECT_TRUE(await(removed, "the groups to be empty"));
}

TEST_P(ProcessTest, RunToEndKeepsTheHeadOfAFlood) {
  const auto output = run_to_end(*sandbox_, guest({"flood"}), kPatience, 1000);
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(output->out, std::string(1000, 'y'));
  EXPECT_TRUE(output->truncated);
  EXPECT_TRUE(output->exit.exited);
  EXPECT_EQ(output->exit.code, 0);
}

TEST_P(ProcessTest, RunToEndTellsWhatIsPrintedWhileTheProgramRuns) {
  std::vector<std::string> heard;
  EXPECT_TRUE(with_longer_limits(100ms, [&](std::chrono::milliseconds limit) {
    heard.clear();
    const auto output = run_to_end(*sandbox_, guest({"daemon"}), limit, 1000,
                                   [&](const std::string& out) { heard.push_back(out); });
    EXPECT_TRUE(output.ok()) << output.error().message;
    // The line stands there as it came, and again at the end.
    return heard.size() >= 2 && heard.front() == "ready\n" && heard.back() == "ready\n";
  }));
}

TEST_P(ProcessTest, RunToEndStopsAtItsDeadline) {
  EXPECT_TRUE(with_longer_limits(100ms, [this](std::chrono::milliseconds limit) {
    const auto output = run_to_end(*sandbox_, guest({"daemon"}), limit);
    EXPECT_TRUE(output.ok()) << output.error().message;
    if (!output) return true;
    EXPECT_TRUE(output->timed_out);
    EXPECT_FALSE(output->exit.exited);
    return output->out == "ready\n";
  }));
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
