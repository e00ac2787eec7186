// Escapes through sockets.
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

template <class Address>
EscapeAttempt try_connect(const Address& address, int type, const char* what,
                          socklen_t size = sizeof(Address)) {
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const UniqueFd socket(::socket(generic->sa_family, type | SOCK_CLOEXEC, 0));
  if (!socket.valid() && errno == EAFNOSUPPORT) {
    return not_applicable(std::string("this kernel has no such sockets: ") + what);
  }
  if (!socket.valid()) return judge(-1, "socket");
  return judge(::connect(socket.get(), generic, size), what);
}

sockaddr_in loopback4(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

EscapeAttempt tcp4(const Bait& bait) {
  return try_connect(loopback4(bait.tcp4), SOCK_STREAM, "connect over IPv4");
}

EscapeAttempt tcp6(const Bait& bait) {
  if (bait.tcp6 == 0) return not_applicable("this machine has no IPv6");
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(bait.tcp6));
  address.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  return try_connect(address, SOCK_STREAM, "connect over IPv6");
}

EscapeAttempt udp(const Bait& bait) {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return judge(-1, "socket");
  const sockaddr_in address = loopback4(bait.tcp4);
  return judge(::sendto(socket.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&address),
                        sizeof address),
               "sendto");
}

EscapeAttempt listen_on_port(const Bait&) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return judge(-1, "socket");
  const sockaddr_in address = loopback4(0);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return judge(-1, "bind");
  }
  return judge(::listen(socket.get(), 1), "listen");
}

EscapeAttempt unix_path(const Bait& bait) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  bait.unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
  return try_connect(address, SOCK_STREAM, "connect to a UNIX socket");
}

EscapeAttempt unix_abstract(const Bait& bait) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length =
      bait.unix_abstract.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return try_connect(address, SOCK_STREAM, "connect to an abstract UNIX socket", size);
}

// Opening the socket is enough: it needs no network namespace to reach the hypervisor.
EscapeAttempt try_socket(int family, int type, int protocol, const char* what) {
  const UniqueFd socket(::socket(family, type | SOCK_CLOEXEC, protocol));
  if (!socket.valid() && errno == EAFNOSUPPORT) {
    return not_applicable(std::string("this kernel has no ") + what);
  }
  return judge(socket.get(), std::string("socket for ") + what);
}

}  // namespace

void add_network_escapes(EscapeTable& table) {
  table["tcp4"] = tcp4;
  table["tcp4_as_compiler"] = tcp4;
  table["tcp6"] = tcp6;
  table["udp"] = udp;
  table["listen"] = listen_on_port;
  table["unix_path"] = unix_path;
  table["unix_abstract"] = unix_abstract;
  table["vsock"] = [](const Bait&) { return try_socket(AF_VSOCK, SOCK_STREAM, 0, "vsock"); };
  table["netlink"] = [](const Bait&) {
    return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT, "netlink");
  };
  table["packet"] = [](const Bait&) {
    return try_socket(AF_PACKET, SOCK_RAW, 0, "packet sockets");
  };
}

}  // namespace kbench
