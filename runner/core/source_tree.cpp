#include "runner/core/source_tree.hpp"

#include <fmt/format.h>

#include "runner/core/sha256.hpp"

namespace kbench {

std::string hash_tree(std::span<const TreeFile> files) {
  if (files.empty()) return "";
  // Lengths go in front, so that no two lists give the same text.
  std::string text = "kbench-tree/1\n";
  for (const TreeFile& file : files)
    text += fmt::format("{}:{}{}:{}\n", file.path.size(), file.path, file.hash.size(), file.hash);
  return sha256(text);
}

}  // namespace kbench
