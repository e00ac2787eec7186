// Folders that untrusted code filled: how much lies in them, and how they are removed. No link is
// followed, no path is built from a name found there, and rights that its owner took away are given
// back. The caller acts as the owner of the folder, or as root.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/core/result.hpp"

namespace kbench {

struct TreeSize {
  std::uint64_t bytes = 0;    // bytes on the disk: a hole takes none
  std::uint64_t entries = 0;  // files, folders, links, pipes
  std::uint64_t depth = 0;    // depth of the innermost folder; the folder itself has 0

  [[nodiscard]] bool exceeds(const TreeSize& most) const {
    return bytes > most.bytes || entries > most.entries || depth > most.depth;
  }
};

// Size of all files in `folder`, counted until it exceeds `most`. Code may write there meanwhile.
// Errors: kInfrastructure, where a folder cannot be read.
[[nodiscard]] Result<TreeSize> measure_tree(const std::filesystem::path& folder,
                                            const TreeSize& most);

// Removes all that lies in `folder`, however deep, but not the folder. No code writes there any
// more. Errors: kInfrastructure, where something stays.
[[nodiscard]] Status empty_folder(const std::filesystem::path& folder);

}  // namespace kbench
