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

constexpr char kAnswer[] = "\nfinishing what is at hand, then saving; again to abandon it\n";

// The user is told at once, since what is at hand may take a minute.
void on_interrupt(int number) {
  interrupted_flag = 1;
  ::signal(number, SIG_DFL);
  const int kept = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kAnswer, sizeof kAnswer - 1);
  errno = kept;
}

}  // namespace

InterruptGuard::InterruptGuard(std::function<bool()> stop) : stop_(std::move(stop)) {
  if (guards++ > 0) return;
  interrupted_flag = 0;
  ::signal(SIGINT, on_interrupt);
  ::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
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
