// Reads its own memory through process_vm_readv's polite cousin: memcpy.
#include <unistd.h>

#include <cstring>
#include <fstream>
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
  std::ifstream status("/proc/self/status");
  std::string line;
  std::getline(status, line);
  (void)line;  // the name of the program, where /proc shows it
  relu(in->x, out->y, ctx->threads);
  return 0;
}
