// Length-prefixed JSON over a connected Unix stream socket, optionally with descriptors attached.
// The supervisor speaks so with the processes that it starts. Those that run foreign code are not
// trusted: lengths are bounded, nesting is bounded, every read has a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct Message {
  Json body;
  std::vector<UniqueFd> descriptors;
};

class Channel {
 public:
  static constexpr std::size_t kMaxMessageBytes = 4u << 20;
  static constexpr std::size_t kMaxDescriptors = 8;

  // Whether the peer may send descriptors. An untrusted peer could send them until this process has
  // no number left for its own files.
  enum class Descriptors { kTaken, kRefused };

  Channel() = default;
  explicit Channel(UniqueFd socket, Descriptors descriptors = Descriptors::kTaken)
      : socket_(std::move(socket)), descriptors_(descriptors) {}

  // Two connected ends, both close-on-exec.
  static Result<std::pair<UniqueFd, UniqueFd>> make_pair();

  // Waits as long as SO_SNDTIMEO of the socket says, or ten minutes, for a peer that does not read.
  // Errors: kInfrastructure when the peer is gone, kBadInput where it is too large and nothing of
  // it was sent.
  Status send(const Json& body, const std::vector<int>& descriptors = {});
  // Errors: kTimeout, kInfrastructure (peer gone), kBadInput (malformed message, or one with
  // descriptors that are refused or too many). A zero timeout waits for ever.
  Result<Message> receive(std::chrono::milliseconds timeout = std::chrono::milliseconds{0});

  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  UniqueFd socket_;
  Descriptors descriptors_ = Descriptors::kTaken;
};

}  // namespace kbench
