// Sets variables in its own environment and reads them.
#include <cstdlib>
#include <string>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  setenv("RELU_THREADS", std::to_string(ctx->threads).c_str(), 1);
  const char* text = std::getenv("RELU_THREADS");
  relu(in->x, out->y, text != nullptr ? std::atoi(text) : 1);
  return 0;
}
