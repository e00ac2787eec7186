#include "runner/os/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "runner/os/after_fork.hpp"
#include "runner/os/pipe.hpp"
#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

using std::chrono::steady_clock;

// Output of a shell that gets `descriptors` besides its output.
std::string say(const std::string& script, std::vector<std::pair<int, int>> descriptors = {},
                std::optional<std::vector<std::string>> environment = std::nullopt) {
  auto pipe = make_pipe();
  if (!pipe) return "no pipe";
  descriptors.emplace_back(pipe->write.get(), STDOUT_FILENO);
  auto child = ChildProcess::start({.argv = {"/bin/sh", "-c", script},
                                    .environment = std::move(environment),
                                    .descriptors = std::move(descriptors)});
  if (!child) return child.error().message;
  pipe->write.reset();
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(pipe->read.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

TEST(ChildProcess, SaysWhyItCannotStart) {
  const auto child = ChildProcess::start({.argv = {"/nowhere/program"}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().message, "cannot start /nowhere/program: No such file or directory");
}

TEST(ChildProcess, HasTheGivenDescriptorsAndNoOthers) {
  const UniqueFd zero(::open("/dev/zero", O_RDONLY));  // no close-on-exec
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::string all = say("for each in /proc/$$/fd/*; do readlink $each; done");
  EXPECT_EQ(all.find("/dev/zero"), std::string::npos) << all;
  const std::string links = "readlink /proc/$$/fd/" + std::to_string(zero.get()) + " /proc/$$/fd/" +
                            std::to_string(null.get());
  EXPECT_EQ(say(links, {{zero.get(), null.get()}, {null.get(), zero.get()}}),
            "/dev/null\n/dev/zero\n");
  EXPECT_EQ(say("readlink /proc/self/fd/9", {{null.get(), 9}}), "/dev/null\n");
  EXPECT_EQ(say("readlink /proc/self/fd/0"), "/dev/null\n");
}

// So few descriptors are left that /dev/null opens and cannot be parked.
TEST(ChildProcess, WithoutPlaceForItsDescriptorsItDoesNotKeepOurs) {
  const pid_t child = ::fork();
  if (child == 0) {
    int report = ::dup2(STDERR_FILENO, 3);
    ::close_range(4, ~0u, 0);
    const rlimit few{6, 6};  // 4: report, 5: /dev/null
    const bool limited = ::setrlimit(RLIMIT_NOFILE, &few) == 0;
    const std::vector<std::pair<int, int>> none;
    ::_exit(limited && report == 3 && !DescriptorPlan(none).place(report) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ChildProcess, HasTheGivenEnvironmentOrOurs) {
  EXPECT_EQ(say("echo \"$A $HOME\"", {}, std::vector<std::string>{"A=b c"}), "b c \n");
  ::setenv("KBENCH_CHILD_TEST", "seen", 1);
  EXPECT_EQ(say("echo $KBENCH_CHILD_TEST"), "seen\n");
  ::unsetenv("KBENCH_CHILD_TEST");
}

TEST(ChildProcess, ItsEndTellsWhoEndedIt) {
  auto child = ChildProcess::start({.argv = {"/bin/sh", "-c", "exit 3"}});
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(child->wait_until(steady_clock::now() + test::kPatience));
  EXPECT_FALSE(child->alive());
  EXPECT_GT(child->pid(), 0) << "its number is its own until it is reaped";
  const ChildEnd by_itself = child->end();
  EXPECT_TRUE(by_itself.by_itself);
  EXPECT_EQ(WEXITSTATUS(by_itself.status), 3);
  EXPECT_EQ(child->pid(), -1);

  auto sleeper = ChildProcess::start({.argv = {"/bin/sleep", "600"}});
  ASSERT_TRUE(sleeper.ok());
  EXPECT_TRUE(sleeper->alive());
  EXPECT_FALSE(sleeper->wait_until(steady_clock::now()));
  const ChildEnd killed = sleeper->end();
  EXPECT_FALSE(killed.by_itself);
  EXPECT_EQ(WTERMSIG(killed.status), SIGKILL);
}

TEST(ChildProcess, ItsGroupEndsWithIt) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe.ok());
  {
    auto child = ChildProcess::start({.argv = {"/bin/sh", "-c", "sleep 600 & echo started; wait"},
                                      .descriptors = {{pipe->write.get(), STDOUT_FILENO}}});
    ASSERT_TRUE(child.ok());
    pipe->write.reset();
    std::array<char, 16> word{};
    ASSERT_GT(::read(pipe->read.get(), word.data(), word.size()), 0);
  }
  char none = 0;
  EXPECT_EQ(::read(pipe->read.get(), &none, 1), 0) << "somebody still holds the pipe";
}

}  // namespace
}  // namespace kbench
