#include "runner/gate/standard_streams.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kMessagePatience{10'000};

// A line, or nothing. Where the client reads no more, standard input is at its end, too.
void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

StandardStreams::StandardStreams(const std::string& who, Channel& channel, GateHello hello,
                                 int end_fd, int signal_fd)
    : channel_(channel),
      desk_(
          std::move(hello), [this](const Json& message) { lost_ |= !channel_.send(message); },
          [] { return Desk::Clock::now(); }),
      visit_(desk_.local_visit(who)),
      end_fd_(end_fd),
      signal_fd_(signal_fd) {}

void StandardStreams::run() {
  while (!lost_ && !desk_.told_to_end()) {
    std::array<pollfd, 3> watched{{{at_end_ || asked_to_end_ ? -1 : STDIN_FILENO, POLLIN, 0},
                                   {channel_.fd(), POLLIN, 0},
                                   {asked_to_end_ ? -1 : signal_fd_, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), patience_ms()) < 0 && errno != EINTR) break;
    if (watched[1].revents != 0) hear();
    if (watched[0].revents != 0) at_end_ = !read();
    desk_.tick();
    if (watched[2].revents != 0 || (at_end_ && desk_.waiting() == 0)) ask_to_end();
  }
}

// Milliseconds until a request's time is over; for ever where none waits.
int StandardStreams::patience_ms() const {
  const auto next = desk_.next_deadline();
  if (!next) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*next - Desk::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void StandardStreams::hear() {
  const auto message = channel_.receive(kMessagePatience);
  if (message) {
    desk_.hear(message->body);
  } else {
    lost_ = true;
  }
}

void StandardStreams::ask_to_end() {
  const std::uint64_t one = 1;
  if (!std::exchange(asked_to_end_, true)) asked_to_end_ = ::write(end_fd_, &one, sizeof one) > 0;
}

// Reads; false at the end.
bool StandardStreams::read() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) return false;
  input_.add({buffer.data(), static_cast<std::size_t>(got)},
             [this](const std::string& line) { take(line); });
  return true;
}

void StandardStreams::take(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  desk_.hear_mcp(visit_, line, nullptr, peer_,
                 [](const HttpResponse& response) { write_out(response.body); });
}

}  // namespace kbench
