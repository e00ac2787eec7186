// Alternates between two buffers of its own and returns the one just filled.
#include <array>
#include <cstring>
#include <vector>

#include "task.h"

namespace {

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static std::array<std::vector<float>, 2> buffers;
  static unsigned calls = 0;
  auto& buffer = buffers[calls++ % 2];
  buffer.resize(kb::y_elements);
  relu(in->x, buffer.data(), ctx->threads);
  std::memcpy(out->y, buffer.data(), buffer.size() * sizeof(float));
  return 0;
}
