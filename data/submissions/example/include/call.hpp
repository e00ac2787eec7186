// What a CPU example takes from its kb_context: the number of threads, and the workspace as floats.
#pragma once

#include <algorithm>

#include "kbench.h"

namespace example {

inline constexpr int kMaxThreads = 64;  // the most that workspaces reserve scratch memory for

inline int thread_count(const kb_context* context) {
  return std::clamp(static_cast<int>(context->threads), 1, kMaxThreads);
}

inline float* workspace(const kb_context* context) {
  return static_cast<float*>(context->workspace);
}

}  // namespace example
