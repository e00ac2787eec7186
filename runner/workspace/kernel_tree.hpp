// The judge's copy of a workspace's kernels/. The agent may go on writing there, and may try to
// have the judge read foreign files: so each file is opened once, without following links, read to
// its end, and what is hashed, compiled and kept is that copy. Tests race against it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {

inline constexpr std::size_t kMostKernelFiles = 64;
inline constexpr std::size_t kMostKernelBytes = 1u << 20;  // size of all files together

struct KernelTree {
  // Sorted; named as they are staged for the compiler, "src/relu.cu". With the manifest: where
  // there is no submission.json, one that names every .cu and .cpp file.
  std::vector<SourceFile> files;
  std::string hash;  // tree_hash of them
};

// SHA-256 over sorted paths and hashes of contents. The one definition of what a tree is.
[[nodiscard]] std::string tree_hash(std::span<const SourceFile> files);

// Copies FOLDER/kernels. Hidden files are left out. Errors: kSubmission, for links, all that is no
// file, names that a compiler could take for options, too many or too large files, and no source;
// kUsage, where there is no such folder.
[[nodiscard]] Result<KernelTree> copy_kernels(const std::filesystem::path& folder);

// The tree of files that lie in no folder, by the same rules; named as their author calls them,
// "relu.cu", "tiles/tile.cuh". A single .py without a manifest is a Python submission. Errors:
// kSubmission.
[[nodiscard]] Result<KernelTree> kernel_tree_of(const std::map<std::string, std::string>& files);

}  // namespace kbench
