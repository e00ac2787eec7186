#include "runner/os/stop_signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

// A signal handler can reach nothing but a variable like this.
volatile sig_atomic_t interrupted_flag = 0;

int guards = 0;  // number of living guards

struct Ending {
  const char* text = "";
  size_t length = 0;
  int exit_code = 0;
  pid_t process = 0;  // processes that are forked from it end as others do
};
Ending at_its_end;

void write_to_stderr(const char* text, size_t length) {
  const int kept = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, length);
  errno = kept;
}

void end_now(int number) {
  if (::getpid() != at_its_end.process) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  write_to_stderr(at_its_end.text, at_its_end.length);
  ::_exit(at_its_end.exit_code);
}

using Handler = void (*)(int);

// Handles a signal while no guard lives.
Handler handler_without_guard() { return at_its_end.process == 0 ? SIG_DFL : end_now; }

constexpr char kAnswer[] = "\nfinishing what is at hand, then saving; again to abandon it\n";

// The user is told at once, since what is at hand may take a minute.
void on_interrupt(int number) {
  interrupted_flag = 1;
  ::signal(number, handler_without_guard());
  write_to_stderr(kAnswer, sizeof kAnswer - 1);
}

}  // namespace

void end_with_a_last_line(const char* line, int exit_code) {
  at_its_end = {line, std::strlen(line), exit_code, ::getpid()};
  for (const int number : {SIGINT, SIGTERM})
    if (::signal(number, end_now) == SIG_IGN) ::signal(number, SIG_IGN);
}

InterruptGuard::InterruptGuard(std::function<bool()> stop) : stop_(std::move(stop)) {
  if (guards++ > 0) return;
  interrupted_flag = 0;
  ::signal(SIGINT, on_interrupt);
  ::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  ::signal(SIGINT, handler_without_guard());
  ::signal(SIGTERM, handler_without_guard());
}

bool InterruptGuard::interrupted() const { return interrupted_flag != 0 || (stop_ && stop_()); }

Result<UniqueFd> signals_to_read() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  const int failed = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd fd(failed == 0 ? ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK) : -1);
  if (fd.valid()) return fd;
  return Error{ErrorCode::kInfrastructure,
               fmt::format("signals cannot be waited for: {}", std::strerror(errno)), ""};
}

bool take_signal(const UniqueFd& signals, std::chrono::milliseconds wait) {
  pollfd watched{signals.get(), POLLIN, 0};
  if (::poll(&watched, 1, static_cast<int>(wait.count())) <= 0) return false;
  signalfd_siginfo info{};
  return ::read(signals.get(), &info, sizeof info) == sizeof info;
}

}  // namespace kbench
