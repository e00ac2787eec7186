// Reads through its whole workspace before it computes.
#include <cstdint>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  const auto* words = static_cast<const std::uint64_t*>(ctx->workspace);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < ctx->workspace_bytes / sizeof(std::uint64_t); ++i) sum += words[i];
  if (sum != 0) return 1;
  relu(in->x, out->y, ctx->threads);
  return 0;
}

extern "C" uint64_t kbench_workspace_bytes() { return 1 << 20; }
