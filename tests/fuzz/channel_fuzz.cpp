// The bytes that a worker, whose code is anybody's, may send on the control channel.
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "runner/core/channel.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kFitsTheSocket = 64 << 10;
  auto ends = kbench::Channel::make_pair();
  if (!ends || size > kFitsTheSocket) return 0;
  if (::send(ends->second.get(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return 0;
  ::shutdown(ends->second.get(), SHUT_WR);
  kbench::Channel channel(std::move(ends->first));
  constexpr int kMostMessages = 64;
  for (int i = 0; i < kMostMessages; ++i) {
    const auto message = channel.receive(std::chrono::milliseconds(200));
    // After what is not JSON the stream goes on behind it; after anything else it is over.
    if (!message && message.error().code != kbench::ErrorCode::kBadInput) break;
  }
  return 0;
}
