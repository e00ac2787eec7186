#include "runner/serve/gate_process.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr int kBacklog = 4096;
constexpr std::uint64_t kMostResident = 1ull << 30;
constexpr std::uint64_t kMostAddressSpace = 8ull << 30;
// A gate that takes nothing any more is as good as dead.
constexpr timeval kSendPatience{10, 0};

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  bool loopback = false;
};

Result<Address> parse_address(const std::string& text, int port) {
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.bytes);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.bytes);
  const auto number = static_cast<in_port_t>(port);
  if (::inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(number);
    address.size = sizeof *four;
    address.loopback = (ntohl(four->sin_addr.s_addr) >> 24) == 127;
    return address;
  }
  if (::inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(number);
    address.size = sizeof *six;
    address.loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) != 0;
    return address;
  }
  return Error{ErrorCode::kUsage, fmt::format("{} is no address", clean_name(text, 64)),
               "use 127.0.0.1 or ::1"};
}

Error cannot_listen(const std::string& address, int port) {
  return {ErrorCode::kUsage,
          fmt::format("cannot listen on {}, port {}: {}", clean_name(address, 64), port,
                      std::strerror(errno)),
          errno == EADDRINUSE ? "choose another port: --port N, or 0 for one that is free" : ""};
}

}  // namespace

Result<UniqueFd> listen_on(const std::string& text, int port) {
  const auto address = parse_address(text, port);
  if (!address) return address.error();
  if (!address->loopback)
    return Error{ErrorCode::kUsage,
                 fmt::format("{} can be reached from elsewhere, and kbench serve speaks no TLS",
                             clean_name(text, 64)),
                 "listen on 127.0.0.1 and let what does speak it stand before (a reverse proxy, "
                 "`ssh -L`), and name what clients call this host: --host NAME"};
  UniqueFd socket(::socket(address->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return cannot_listen(text, port);
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto* where = reinterpret_cast<const sockaddr*>(&address->bytes);
  if (::bind(socket.get(), where, address->size) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return cannot_listen(text, port);
  return socket;
}

int port_of(const UniqueFd& listener) {
  sockaddr_storage bytes{};
  socklen_t size = sizeof bytes;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bytes), &size) != 0) return 0;
  if (bytes.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&bytes)->sin_port);
  return ntohs(reinterpret_cast<sockaddr_in6*>(&bytes)->sin6_port);
}

Result<Gate> start_gate(Sandbox& sandbox, const std::filesystem::path& program, UniqueFd listener) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  ::setsockopt(ends->first.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendPatience, sizeof kSendPatience);
  SandboxCommand command;
  command.argv = {program.string()};
  command.descriptors = {{ends->second.get(), kGateChannel}, {listener.get(), kGateListener}};
  command.max_memory_bytes = kMostAddressSpace;
  command.max_resident_bytes = kMostResident;
  command.max_processes = 8;  // threads
  command.max_file_bytes = 0;
  auto process = sandbox.start(command);
  if (!process) return process.error();
  return Gate{std::move(*process), Channel(std::move(ends->first), Channel::Descriptors::kRefused)};
}

}  // namespace kbench
