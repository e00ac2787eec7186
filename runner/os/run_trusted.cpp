#include "runner/os/run_trusted.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "runner/os/child_process.hpp"
#include "runner/os/pipe.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = 64u << 10;

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

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

Result<std::string> run_trusted(const std::vector<std::string>& argv,
                                std::chrono::milliseconds timeout, Errors errors) {
  return run_trusted(ChildPlan{.argv = argv}, timeout, errors);
}

Result<std::string> run_trusted(ChildPlan plan, std::chrono::milliseconds timeout, Errors errors) {
  auto pipe = make_pipe();
  if (!pipe) return pipe.error();
  plan.descriptors.emplace_back(pipe->write.get(), STDOUT_FILENO);
  if (errors == Errors::kKept) plan.descriptors.emplace_back(pipe->write.get(), STDERR_FILENO);
  auto child = ChildProcess::start(plan);
  if (!child) return child.error();
  pipe->write.reset();

  const auto deadline = Clock::now() + timeout;
  std::string output;
  // The program may close its output and live on.
  if (!drain(pipe->read.get(), deadline, output) || !child->wait_until(deadline)) {
    return Error{ErrorCode::kTimeout,
                 fmt::format("{} did not end within {} s", plan.argv[0],
                             std::chrono::duration_cast<std::chrono::seconds>(timeout).count()),
                 ""};
  }
  const int status = child->end().status;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  const auto how = WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                       : fmt::format("ended with {}", WEXITSTATUS(status));
  const std::string said = last_line(output);
  return Error{ErrorCode::kInfrastructure,
               said.empty() ? fmt::format("{} {}, and printed nothing", plan.argv[0], how)
                            : fmt::format("{} {}: {}", plan.argv[0], how, said),
               ""};
}

}  // namespace kbench
