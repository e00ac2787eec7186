// Reads /proc/cpuinfo, as programs do that choose an instruction set.
#include <fstream>
#include <string>

#include "task.h"

namespace {

bool machine_has_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return true;
  return false;
}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const bool known = machine_has_flags();
  (void)known;  // either way the same code will do
  relu(in->x, out->y, ctx->threads);
  return 0;
}
