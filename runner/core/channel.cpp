#include "runner/core/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "runner/core/bounded_json.hpp"
#include "runner/core/defence.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

Error broken(const char* what) {
  return {ErrorCode::kInfrastructure, std::string(what) + ": " + std::strerror(errno), ""};
}

// Waits for input, or for room, until the deadline; a default-constructed deadline never passes.
Status wait_until(int fd, short event, Clock::time_point deadline) {
  while (true) {
    int wait_ms = -1;
    if (deadline != Clock::time_point{}) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Error{ErrorCode::kTimeout, "no answer in time", ""};
      wait_ms = static_cast<int>(left);
    }
    pollfd poll_fd{fd, event, 0};
    const int ready = ::poll(&poll_fd, 1, wait_ms);
    if (ready > 0) return Done{};
    if (ready < 0 && errno != EINTR) return broken("poll");
  }
}

// The patience for a whole message: that of the socket (SO_SNDTIMEO), where it has one. A peer that
// reads a little now and then would have it anew for each piece.
std::chrono::microseconds send_patience(int fd) {
  constexpr std::chrono::minutes kUsual{10};
  timeval own{};
  socklen_t size = sizeof own;
  if (::getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &own, &size) != 0) return kUsual;
  const auto patience = std::chrono::seconds{own.tv_sec} + std::chrono::microseconds{own.tv_usec};
  return patience.count() > 0 ? patience : kUsual;
}

void collect_descriptors(msghdr& header, std::vector<UniqueFd>& descriptors) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(received);
    }
  }
}

// Reads exactly `bytes`, collecting descriptors that come along. Where they are refused, there is
// no room for any: the kernel closes them and says so, and none ever gets a number here.
Status read_exactly(int fd, void* buffer, std::size_t bytes, Clock::time_point deadline,
                    bool refuse, std::vector<UniqueFd>& descriptors) {
  auto* cursor = static_cast<char*>(buffer);
  while (bytes > 0) {
    if (auto ready = wait_until(fd, POLLIN, deadline); !ready) return ready;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * Channel::kMaxDescriptors)> control;
    iovec vector{cursor, bytes};
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = refuse ? nullptr : control.data();
    header.msg_controllen = refuse ? 0 : control.size();
    const ssize_t got = ::recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return broken("recvmsg");
    if (got == 0) return Error{ErrorCode::kInfrastructure, "the peer closed its end", ""};
    collect_descriptors(header, descriptors);
    if ((header.msg_flags & MSG_CTRUNC) != 0 && stands(Defence::kNoDescriptors)) {
      return Error{ErrorCode::kBadInput,
                   "malformed message: descriptors that nobody asked for came along", ""};
    }
    cursor += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Done{};
}

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> Channel::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return broken("socketpair");
  return std::pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Status Channel::send(const Json& body, const std::vector<int>& descriptors) {
  const std::string text = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxMessageBytes)
    return Error{ErrorCode::kBadInput,
                 "a message of " + std::to_string(text.size()) + " bytes is too large to send", ""};
  if (descriptors.size() > kMaxDescriptors)
    return Error{ErrorCode::kBadInput, "too many descriptors for one message", ""};
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += text;

  const auto deadline = Clock::now() + send_patience(fd());
  std::size_t sent = 0;
  while (sent < frame.size()) {
    iovec vector{frame.data() + sent, frame.size() - sent};
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
    if (sent == 0 && !descriptors.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
      cmsghdr* c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
      std::memcpy(CMSG_DATA(c), descriptors.data(), sizeof(int) * descriptors.size());
    }
    const ssize_t wrote = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      if (!wait_until(fd(), POLLOUT, deadline))
        return Error{ErrorCode::kInfrastructure, "the peer does not read", ""};
      continue;
    }
    if (wrote < 0) return broken("sendmsg");
    if (Clock::now() > deadline && sent + static_cast<std::size_t>(wrote) < frame.size())
      return Error{ErrorCode::kInfrastructure, "the peer does not read", ""};
    sent += static_cast<std::size_t>(wrote);
  }
  return Done{};
}

Result<Message> Channel::receive(std::chrono::milliseconds timeout) {
  const auto deadline = timeout.count() == 0 ? Clock::time_point{} : Clock::now() + timeout;
  Message message;
  std::uint32_t length = 0;
  const bool refuse = descriptors_ == Descriptors::kRefused && stands(Defence::kNoDescriptors);
  if (auto read = read_exactly(fd(), &length, sizeof length, deadline, refuse, message.descriptors);
      !read)
    return read.error();
  if (length > kMaxMessageBytes)
    return Error{ErrorCode::kBadInput, "malformed message: impossible length", ""};
  std::string text(length, '\0');
  if (auto read = read_exactly(fd(), text.data(), length, deadline, refuse, message.descriptors);
      !read)
    return read.error();
  auto body = parse_bounded_json(text);
  if (!body) return Error{ErrorCode::kBadInput, "malformed message: " + body.error().message, ""};
  message.body = std::move(*body);
  return message;
}

}  // namespace kbench
