// A piece of content that is kept once, under its hash: a file of a submission, a task's source.
// Small text compresses well; what does not is kept as it is.
//
// Invariant: what unpack() gives has the hash that the blob is known by. A results file is input
// like any other: before a byte is decompressed, its size is known and bounded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

inline constexpr std::int64_t kMostBlobBytes = 4 << 20;  // bytes of a blob's content

struct Blob {
  std::string hash;        // SHA-256 of what it holds
  std::int64_t bytes = 0;  // size of its content
  std::string codec;       // "raw" or "zstd"
  std::string content;
};

// Faults of blobs, in words, by the blobs' hashes.
using DamagedBlobs = std::map<std::string, std::string>;

// The contents stored under some hashes.
struct StoredContents {
  std::map<std::string, std::string> texts;  // key: the hash, against which each is checked
  DamagedBlobs damaged;
};

// `text` has at most kMostBlobBytes.
[[nodiscard]] Blob pack(std::string_view text);

// Errors (kBadInput): it is no blob of ours; the message says why.
[[nodiscard]] Result<std::string> unpack(const Blob& blob);

}  // namespace kbench
