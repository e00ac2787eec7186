// The stored sources of an evaluation: the very bytes that the compiler got, and the text that the
// task was made of.
#pragma once

#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct KeptSources {
  std::vector<TreeFile> files;  // sorted by path
  std::vector<Blob> blobs;      // contents of the files
};

// `files` as read_source_files gives them.
[[nodiscard]] KeptSources keep_sources(const std::vector<SourceFile>& files);

// Names the sources in the evaluation, and returns their blobs. The task's .py is among them if the
// task was lowered from that very text.
[[nodiscard]] std::vector<Blob> attach_sources(KeptSources sources, const Task& task,
                                               Evaluation& evaluation);

}  // namespace kbench
