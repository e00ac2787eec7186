#include "runner/sandbox/undead.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <utility>

#include "runner/sandbox/host.hpp"

namespace kbench {

void UndeadList::add(pid_t keeper, UniqueFd status) {
  const std::lock_guard lock(mutex_);
  list_.push_back({keeper, std::move(status)});
}

void UndeadList::add_user(uid_t user) {
  const std::lock_guard lock(mutex_);
  users_.push_back(user);
}

void UndeadList::add_lost() {
  const std::lock_guard lock(mutex_);
  ++lost_;
}

int UndeadList::count() {
  const std::lock_guard lock(mutex_);
  std::erase_if(list_, [](const Undead& undead) {
    pollfd end{undead.status.get(), POLLIN, 0};
    if (::poll(&end, 1, 0) <= 0) return false;
    ::waitpid(undead.keeper, nullptr, 0);  // it writes last of all
    return true;
  });
  if (!users_.empty()) {
    // A user without processes does not get new ones. Where that cannot be told, all of them count.
    if (const auto there = users_of_processes())
      std::erase_if(users_, [&](uid_t user) { return !there->contains(user); });
  }
  return static_cast<int>(list_.size() + users_.size()) + lost_;
}

}  // namespace kbench
