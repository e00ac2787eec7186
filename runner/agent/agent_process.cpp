#include "runner/agent/agent_process.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kMostResident = 1ull << 30;
constexpr std::uint64_t kMostAddressSpace = 8ull << 30;
// An agent that takes nothing any more is as good as dead.
constexpr timeval kSendPatience{10, 0};

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Error cannot_connect(const Endpoint& endpoint, int error) {
  return {error == ETIMEDOUT ? ErrorCode::kTimeout : ErrorCode::kInfrastructure,
          fmt::format("cannot connect to {}: {}", clean_name(endpoint.authority, 200),
                      std::strerror(error)),
          "is the endpoint running?"};
}

// Zero, or what went wrong.
int wait_until_connected(int socket, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return ETIMEDOUT;
    pollfd watched{socket, POLLOUT, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return errno;
    if (ready <= 0) continue;
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
}

// Zero, or what went wrong.
int try_address(const addrinfo& address, Clock::time_point deadline, UniqueFd& connected) {
  UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno;
  int error = ::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) error = wait_until_connected(socket.get(), deadline);
  if (error == 0) connected = std::move(socket);
  return error;
}

}  // namespace

Result<AgentProcess> start_agent(Sandbox& sandbox, const std::filesystem::path& program) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  ::setsockopt(ends->first.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendPatience, sizeof kSendPatience);
  SandboxCommand command;
  command.argv = {program.string()};
  command.descriptors = {{ends->second.get(), kAgentChannel}};
  command.max_memory_bytes = kMostAddressSpace;
  command.max_resident_bytes = kMostResident;
  command.max_processes = 4;  // threads
  command.max_file_bytes = 0;
  auto process = sandbox.start(command);
  if (!process) return process.error();
  return AgentProcess{std::move(*process),
                      Channel(std::move(ends->first), Channel::Descriptors::kRefused)};
}

Result<UniqueFd> connect_to(const Endpoint& endpoint, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &wanted, &found);
  if (failed != 0)
    return Error{failed == EAI_AGAIN ? ErrorCode::kInfrastructure : ErrorCode::kUsage,
                 fmt::format("nobody knows the host {}: {}", clean_name(endpoint.host, 200),
                             ::gai_strerror(failed)),
                 "look at --endpoint"};
  const Addresses addresses(found, ::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    UniqueFd connected;
    error = try_address(*one, deadline, connected);
    if (error == 0) return connected;
  }
  return cannot_connect(endpoint, error);
}

std::function<Result<AgentProcess>()> agent_starter(std::filesystem::path program) {
  return [sandbox = std::shared_ptr<Sandbox>(make_sandbox()), program = std::move(program)] {
    return start_agent(*sandbox, program);
  };
}

}  // namespace kbench
