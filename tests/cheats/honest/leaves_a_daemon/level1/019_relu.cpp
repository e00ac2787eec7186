// A detached thread counts the calls; the work is done in them.
#include <atomic>
#include <chrono>
#include <thread>

#include "task.h"

namespace {

std::atomic<int> calls;
std::atomic<int> noticed;

[[noreturn]] void notice() {
  while (true) {
    noticed = calls.load();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void relu(const float* x, float* y, int threads) {
#pragma omp parallel for num_threads(threads)
  for (long long i = 0; i < kb::x_elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  if (calls++ == 0) std::thread(notice).detach();
  relu(in->x, out->y, ctx->threads);
  return 0;
}
