#include "baselines/builder_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/pointers_to.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxLineBytes = 1u << 20;
constexpr std::size_t kErrorTailBytes = 4096;
constexpr std::size_t kReportedTailBytes = 1500;

Error failed(const char* call) {
  return {ErrorCode::kInfrastructure,
          fmt::format("cannot start a package builder: {}: {}", call, std::strerror(errno)), ""};
}

// Settings that a user's shell may hold and that would change the code or its numbers behind the
// back of the package key.
bool must_be_dropped(std::string_view variable) {
  for (const std::string_view prefix :
       {"TORCHINDUCTOR_", "AOT_INDUCTOR_", "AOTINDUCTOR_",
        "NVIDIA_TF32_OVERRIDE=", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=", "TMPDIR="})
    if (variable.starts_with(prefix)) return true;
  return false;
}

std::vector<std::string> builder_environment(const std::filesystem::path& cache_directory,
                                             int compile_threads) {
  std::vector<std::string> variables;
  for (char** variable = ::environ; *variable != nullptr; ++variable)
    if (!must_be_dropped(*variable)) variables.emplace_back(*variable);
  // Inductor keeps its precompiled headers below the temporary directory, whatever its own setting
  // says; they are worth half a minute, so they stay with the packages.
  variables.push_back("TMPDIR=" + (cache_directory / "tmp").string());
  variables.push_back("TORCHINDUCTOR_CACHE_DIR=" + (cache_directory / "inductor").string());
  variables.push_back(fmt::format("TORCHINDUCTOR_COMPILE_THREADS={}", compile_threads));
  return variables;
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_builder(pid_t parent, int socket, int errors, char* const* arguments,
                                 char* const* environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(socket, STDIN_FILENO);
  ::dup2(socket, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 127) return "could not be executed";
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<BuilderProcess> BuilderProcess::start(const Command& command) {
  std::error_code ignored;  // a directory that is missing shows in the builder's own message
  std::filesystem::create_directories(command.cache_directory / "tmp", ignored);
  std::filesystem::create_directories(command.cache_directory / "inductor", ignored);

  const std::vector<std::string> words{command.python.string(), "-u", command.script.string()};
  const std::vector<std::string> variables = builder_environment(
      std::filesystem::absolute(command.cache_directory), command.compile_threads);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);

  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return failed("socketpair");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return failed("pipe2");
  UniqueFd read_end(pipe_ends[0]);
  const UniqueFd write_end(pipe_ends[1]);
  if (::fcntl(read_end.get(), F_SETFL, O_NONBLOCK) != 0) return failed("fcntl");

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return failed("fork");
  if (pid == 0)
    become_builder(parent, theirs.get(), write_end.get(), arguments.data(), environment.data());
  ::setpgid(pid, pid);  // here as well, so that the group exists whoever comes first

  BuilderProcess process;
  process.pid_ = pid;
  process.socket_ = std::move(ours);
  process.errors_ = std::move(read_end);
  return process;
}

BuilderProcess::BuilderProcess(BuilderProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::move(other.socket_)),
      errors_(std::move(other.errors_)),
      pending_(std::move(other.pending_)),
      error_tail_(std::move(other.error_tail_)),
      closed_(other.closed_),
      ending_(std::move(other.ending_)) {}

BuilderProcess& BuilderProcess::operator=(BuilderProcess&& other) noexcept {
  if (this == &other) return *this;
  kill_and_wait();
  pid_ = std::exchange(other.pid_, -1);
  socket_ = std::move(other.socket_);
  errors_ = std::move(other.errors_);
  pending_ = std::move(other.pending_);
  error_tail_ = std::move(other.error_tail_);
  closed_ = other.closed_;
  ending_ = std::move(other.ending_);
  return *this;
}

BuilderProcess::~BuilderProcess() { kill_and_wait(); }

void BuilderProcess::kill_and_wait() {
  if (pid_ < 0) return;
  // The process may have ended by itself; then that is what is reported. It is not reaped before
  // the group is killed, so that its number cannot belong to anyone else by then.
  siginfo_t info{};
  const bool ended =
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pid_;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ending_ = ended ? describe(status) : "was stopped";
  pid_ = -1;
}

Status BuilderProcess::send(const Json& request) {
  const std::string line = request.dump() + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t wrote =
        ::send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Error{ErrorCode::kInfrastructure, "the package builder is gone", ""};
    sent += static_cast<std::size_t>(wrote);
  }
  return Done{};
}

std::vector<std::string> BuilderProcess::read_lines() {
  std::array<char, 16384> buffer;
  while (!closed_) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) closed_ = true;
    if (got > 0) pending_.append(buffer.data(), static_cast<std::size_t>(got));
    if (pending_.size() > kMaxLineBytes && pending_.find('\n') == std::string::npos) closed_ = true;
  }
  std::vector<std::string> lines;
  for (std::size_t end; (end = pending_.find('\n')) != std::string::npos;) {
    lines.push_back(pending_.substr(0, end));
    pending_.erase(0, end + 1);
  }
  return lines;
}

void BuilderProcess::read_errors() {
  std::array<char, 16384> buffer;
  while (errors_.valid()) {
    const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      errors_.reset();
      return;
    }
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kErrorTailBytes)
      error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
  }
}

std::string BuilderProcess::bury() {
  // The end of stdout arrives a moment before the end of the process: without this pause a crash
  // would be reported as our own kill.
  siginfo_t info{};
  constexpr int kPatience = 200;
  for (int i = 0; pid_ >= 0 && closed_ && info.si_pid == 0 && i < kPatience; ++i) {
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    if (info.si_pid == 0) ::usleep(5000);
  }
  kill_and_wait();
  read_errors();
  std::string_view tail = error_tail_;
  if (tail.size() > kReportedTailBytes) tail.remove_prefix(tail.size() - kReportedTailBytes);
  while (!tail.empty() && tail.back() == '\n') tail.remove_suffix(1);
  return tail.empty() ? ending_ : fmt::format("{}; its last words:\n{}", ending_, tail);
}

}  // namespace kbench
