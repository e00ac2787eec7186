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
  std::vector<Blob> blobs;      // what they hold
};

// `files` as read_source_files gives them.
[[nodiscard]] KeptSources keep_sources(const std::vector<SourceFile>& files);

// Names them in the evaluation; returns the blobs that it names then. The task's .py is one of them
// where it is still the one that the task was lowered from.
[[nodiscard]] std::vector<Blob> attach_sources(KeptSources sources, const Task& task,
                                               Evaluation& evaluation);

}  // namespace kbench
