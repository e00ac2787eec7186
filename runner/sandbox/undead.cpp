#include "runner/sandbox/undead.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <utility>

namespace kbench {

void UndeadList::add(pid_t keeper, UniqueFd status) {
  const std::lock_guard lock(mutex_);
  list_.push_back({keeper, std::move(status)});
}

int UndeadList::count() {
  const std::lock_guard lock(mutex_);
  std::erase_if(list_, [](const Undead& undead) {
    pollfd end{undead.status.get(), POLLIN, 0};
    if (::poll(&end, 1, 0) <= 0) return false;
    ::waitpid(undead.keeper, nullptr, 0);  // it writes last of all
    return true;
  });
  return static_cast<int>(list_.size());
}

}  // namespace kbench
