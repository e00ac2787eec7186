#include "runner/cli/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "runner/core/pointers_to.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = 64u << 10;

// Owns what posix_spawn is told: in its own process group, output into the pipe, no input.
class SpawnPlan {
 public:
  explicit SpawnPlan(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  // 0, or an errno.
  int start(const std::vector<std::string>& argv, pid_t& child) const {
    const std::vector<char*> words = pointers_to(argv);
    return posix_spawn(&child, words[0], &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Reads until the pipe closes. False when the deadline passed first.
bool drain(int pipe, Clock::time_point deadline, std::string& output) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting = {pipe, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const auto got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const auto room = kMaxOutput - output.size();
    output.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
  }
}

// Waits for the child. False when the deadline passed: it closed its output, but lives on.
bool reap(pid_t child, Clock::time_point deadline, int& status) {
  for (;;) {
    const auto ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 2);
  }
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

Result<std::string> run_trusted(const std::vector<std::string>& argv,
                                std::chrono::milliseconds timeout) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::kInfrastructure, fmt::format("pipe: {}", std::strerror(errno)), ""};
  }
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_t child = -1;
  const int failure = SpawnPlan(writing.get()).start(argv, child);
  if (failure != 0) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} cannot be started: {}", argv[0], std::strerror(failure)), ""};
  }
  writing.reset();

  const auto deadline = Clock::now() + timeout;
  std::string output;
  int status = 0;
  if (!drain(reading.get(), deadline, output) || !reap(child, deadline, status)) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, &status, 0);
    return Error{ErrorCode::kTimeout,
                 fmt::format("{} did not end within {} s", argv[0],
                             std::chrono::duration_cast<std::chrono::seconds>(timeout).count()),
                 ""};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  const auto how = WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                       : fmt::format("ended with {}", WEXITSTATUS(status));
  return Error{ErrorCode::kInfrastructure,
               fmt::format("{} {}: {}", argv[0], how, last_line(output)), ""};
}

}  // namespace kbench
