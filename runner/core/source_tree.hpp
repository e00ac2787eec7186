// The files that a submission is made of, each by the hash of what it holds. The contents
// themselves are blobs of the store; a tree names them. Written at compilation, kept by
// runner/store, shown by reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kbench {

// No submission has more files, nor larger ones, nor more bytes in all of them together.
inline constexpr std::size_t kMaxSourceFiles = 256;
inline constexpr std::size_t kMaxSourceFileBytes = 4u << 20;
inline constexpr std::size_t kMaxSourceBytes = 32u << 20;

struct TreeFile {
  std::string path;  // staged path for the compiler: "src/019_relu.cu", "include/tile.hpp"
  std::string hash;  // SHA-256 of what it holds
  std::int64_t bytes = 0;

  friend bool operator==(const TreeFile&, const TreeFile&) = default;
};

// SHA-256 over paths and hashes of the files, which are sorted by path; empty without any.
[[nodiscard]] std::string hash_tree(std::span<const TreeFile> files);

}  // namespace kbench
