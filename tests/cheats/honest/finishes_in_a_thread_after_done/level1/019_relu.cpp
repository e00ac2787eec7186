// Hands the work to threads of its own and joins them.
#include <thread>
#include <vector>

#include "task.h"

namespace {

void part(const float* x, float* y, long long count) {
  for (long long i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  constexpr long long kParts = 4;
  constexpr long long kPart = kb::x_elements / kParts;
  static_assert(kb::x_elements % kParts == 0);
  (void)ctx;
  std::vector<std::thread> threads;
  for (long long i = 0; i < kParts; ++i)
    threads.emplace_back(part, in->x + i * kPart, out->y + i * kPart, kPart);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
