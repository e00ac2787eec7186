#include "runner/oracle/fork_server.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace kbench {
namespace {

// In the child. False when the server ended before the child could ask to end with it.
bool settle(pid_t server, const std::string& temporary) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) return false;
  ::signal(SIGCHLD, SIG_DFL);
  // What the oracle unpacks lies where the supervisor can remove it.
  if (!temporary.empty()) ::setenv("TMPDIR", temporary.c_str(), 1);
  return true;
}

}  // namespace

std::optional<Channel> wait_to_become_an_oracle(Channel server) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody asks how an oracle ended; the supervisor sees that it did
  const pid_t self = ::getpid();
  while (true) {
    auto request = server.receive();
    if (!request || request->descriptors.size() != 1) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
      if (!settle(self, request->body.at("temporary").get<std::string>())) return std::nullopt;
      return Channel(std::move(request->descriptors.front()));
    }
    const std::string failure = child < 0 ? std::strerror(errno) : "";
    const Status told =
        server.send(child > 0 ? Json{{"pid", child}} : Json{{"error", "fork failed: " + failure}});
    if (!told) return std::nullopt;
  }
}

}  // namespace kbench
