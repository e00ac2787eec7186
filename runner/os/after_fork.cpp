#include "runner/os/after_fork.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace kbench {
namespace {

void close_between(unsigned first, unsigned last) {
  if (first > last) return;
  if (::syscall(SYS_close_range, first, last, 0) == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const unsigned end = static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, last));
  for (unsigned fd = first; fd <= end; ++fd) ::close(static_cast<int>(fd));
}

}  // namespace

DescriptorPlan::DescriptorPlan(const std::vector<std::pair<int, int>>& descriptors)
    : descriptors_(descriptors) {
  parked_.reserve(descriptors.size());
  kept_.reserve(descriptors.size() + 4);
}

// Places the descriptors. All are parked above the targets first, so that no target overwrites a
// source that is still needed.
bool DescriptorPlan::place(int& report) {
  int above = 3;
  for (const auto& [ours, number] : descriptors_) above = std::max(above, number + 1);
  const int moved = ::fcntl(report, F_DUPFD_CLOEXEC, above);
  if (moved < 0) return false;
  report = moved;
  parked_.clear();
  for (const auto& [ours, number] : descriptors_) {
    parked_.push_back(::fcntl(ours, F_DUPFD_CLOEXEC, above));
    if (parked_.back() < 0) return false;
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return false;
  const int parked_null = ::fcntl(null, F_DUPFD_CLOEXEC, above);
  if (parked_null < 0) return false;
  for (int fd = 0; fd < 3; ++fd)
    if (::dup2(parked_null, fd) < 0) return false;
  kept_.assign({0, 1, 2, report});
  for (std::size_t i = 0; i < parked_.size(); ++i) {
    const int number = descriptors_[i].second;
    if (::dup2(parked_[i], number) < 0) return false;
    if (number > 2) kept_.push_back(number);
  }
  close_all_but(kept_);
  return true;
}

void close_all_but(std::span<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  for (const int fd : kept) {
    if (static_cast<unsigned>(fd) > next) close_between(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_between(next, ~0u);
}

void reset_signals(bool ignored_too) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (!ignored_too && ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      continue;
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

pid_t fork_with_signals_blocked() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::_Fork();
  if (child != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

}  // namespace kbench
