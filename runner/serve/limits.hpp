// Limits of one client of `kbench serve`, and of all of them together. kbench-gate keeps them where
// a request comes in; requests that reach the supervisor are held against the same limits there,
// because the gate is not trusted.
#pragma once

#include <chrono>
#include <cstddef>

namespace kbench::limits {

// A request.
inline constexpr std::size_t kMostBodyBytes = 2u << 20;  // of a WebSocket's message, too
inline constexpr std::size_t kMostJsonDepth = 32;
inline constexpr std::size_t kMostHeaderBytes = 16u << 10;
inline constexpr std::chrono::seconds kMostWait{600};
inline constexpr std::size_t kMostBatch = 64;  // orders of one request

// How long a client may take to send a request before its connection is closed. Who starts the
// server may choose others: --header-timeout, --body-timeout.
struct Patience {
  std::chrono::seconds headers{10};  // all of them, from the connection or the last answer
  std::chrono::seconds body{30};     // all of it, from the last header
};

// A token: requests that are being answered, and orders that are not judged yet.
inline constexpr std::size_t kMostInFlight = 64;

// All together.
inline constexpr std::size_t kMostQueued = 1024;
inline constexpr std::size_t kMostConnections = 1024;
inline constexpr std::size_t kMostStreams = 64;      // readers of events
inline constexpr std::size_t kMostWorkspaces = 256;  // open ones

}  // namespace kbench::limits
