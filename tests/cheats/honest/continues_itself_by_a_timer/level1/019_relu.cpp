// Threads that relieve each other inside the call, a part of the work each.
#include <thread>
#include <vector>

#include "task.h"

namespace {

void relu(const float* x, float* y, long long first, long long last) {
  for (long long i = first; i < last; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  std::vector<std::thread> threads;
  for (int i = 0; i < ctx->threads; ++i) {
    const long long first = kb::x_elements * i / ctx->threads;
    const long long last = kb::x_elements * (i + 1) / ctx->threads;
    const long long middle = first + (last - first) / 2;
    threads.emplace_back([=] {
      relu(in->x, out->y, first, middle);
      std::thread([=] { relu(in->x, out->y, middle, last); }).join();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
