// Everything a submission is made of, read once: what is hashed is exactly what the compiler gets
// to see.
#pragma once

#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/source_tree.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

struct SourceFile {
  std::string name;  // "src/relu.cu" or "include/math/tile.hpp": where it is staged
  std::string bytes;
};

// A single file stands alone in src/, a folder's files all go there; the agent's headers go into
// include/. Sorted by name. Errors: kBadInput for files that are too large, too many, oddly named,
// no regular files, or links that leave the agent's folder.
[[nodiscard]] Result<std::vector<SourceFile>> read_source_files(const Submission& submission);

// SHA-256 over names and contents, then flags, libraries and precision.
[[nodiscard]] std::string hash_sources(const Submission& submission,
                                       const std::vector<SourceFile>& files);

}  // namespace kbench
