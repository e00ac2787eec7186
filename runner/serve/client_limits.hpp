// Limits of one client of `kbench serve`, and of all of them together. kbench-gate keeps them where
// a request comes in; requests that reach the supervisor are held against the same limits there,
// because the gate is not trusted.
#pragma once

#include <chrono>
#include <cstddef>

namespace kbench::limits {

// A request.
inline constexpr std::size_t kMostBodyBytes = 2u << 20;  // body, or message of a WebSocket
inline constexpr std::size_t kMostJsonDepth = 32;
inline constexpr std::size_t kMostHeaderBytes = 16u << 10;
inline constexpr std::chrono::seconds kMostWait{600};  // longest wait of a client for an answer
inline constexpr std::size_t kMostBatch = 64;          // orders of one request

// How long a client may take to send a request before its connection is closed. The operator may
// choose others: --header-timeout, --body-timeout.
struct Patience {
  std::chrono::seconds headers{10};  // all of them, from the connection or the last answer
  std::chrono::seconds body{30};     // all of it, from the last header
};

// How much may wait: requests that are being answered, and orders that are not judged yet, each as
// many. A request that waits is a socket and an id; its body has been let go.
inline constexpr std::size_t kMostWaitingOfOne = 2048;  // waiting ones of a token
inline constexpr std::size_t kMostWaiting = 3072;       // all together

// Bytes of bodies, counted from their first byte until their order lies on the spool.
inline constexpr std::size_t kMostBodiesOfOne = 64u << 20;  // bytes of a token
inline constexpr std::size_t kMostBodies = 256u << 20;      // bytes, all together

// Files of the orders on the spool.
inline constexpr std::size_t kMostSpooledOfOne = 256u << 20;  // bytes of a token
inline constexpr std::size_t kMostSpooled = 1u << 30;         // bytes, all together

// Most connections. The gate may open 4,096 files; what is left above those that wait is for short
// requests, and for telling a flood that it is one.
inline constexpr std::size_t kMostConnections = 3840;
inline constexpr std::size_t kMostStrangers = 1024;  // connections without a token so far

inline constexpr std::size_t kMostStreamsOfOne = 64;  // readers of events, of a token
inline constexpr std::size_t kMostStreams = 256;      // all together
inline constexpr std::size_t kMostWorkspaces = 256;   // open ones

}  // namespace kbench::limits
