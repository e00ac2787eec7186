#include "runner/oracle/fork_server.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Prepares the child. False when the server ended before the child could ask to end with it.
bool settle(pid_t server, const fs::path& scratch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) return false;
  ::signal(SIGCHLD, SIG_DFL);
  // The oracle has a session of its own, as a worker has: the scheduler may group by sessions.
  ::setsid();
  // The supervisor looks into the oracle, whichever user that is.
  ::prctl(PR_SET_DUMPABLE, 1);
  const std::string own = (scratch / ("oracle-" + std::to_string(::getpid()))).string();
  ::setenv("TMPDIR", own.c_str(), 1);
  if (::mkdir(own.c_str(), 0700) == 0 && ::chdir(own.c_str()) == 0) return true;
  std::fprintf(stderr, "kbench-oracle: no folder %s: %s\n", own.c_str(), std::strerror(errno));
  return false;
}

// Removes what the last child left. No process writes there meanwhile: the supervisor asks for a
// child when the one before is dead.
void remove_what_is_left(const fs::path& scratch) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(scratch, ignored))
    fs::remove_all(entry.path(), ignored);
}

}  // namespace

std::optional<Channel> wait_to_become_an_oracle(Channel server, const fs::path& scratch) {
  ::signal(SIGCHLD, SIG_IGN);  // no status is asked for; the supervisor sees that it ended
  ::prctl(PR_SET_DUMPABLE, 0);
  const pid_t self = ::getpid();
  while (true) {
    auto request = server.receive();
    if (!request || request->descriptors.size() != 1) return std::nullopt;
    remove_what_is_left(scratch);
    const pid_t child = ::fork();
    if (child == 0) {
      if (!settle(self, scratch)) return std::nullopt;
      return Channel(std::move(request->descriptors.front()));
    }
    const std::string failure = child < 0 ? std::strerror(errno) : "";
    const Status told = server.send(child > 0 ? Json{{"forked", true}}
                                              : Json{{"error", "fork failed: " + failure}});
    if (!told) return std::nullopt;
  }
}

}  // namespace kbench
