// Does half of the work in an asynchronous task and waits for it.
#include <future>

#include "task.h"

namespace {

void part(const float* x, float* y, long long count) {
  for (long long i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  (void)ctx;
  constexpr long long kHalf = kb::x_elements / 2;
  auto other =
      std::async(std::launch::async, part, in->x + kHalf, out->y + kHalf, kb::x_elements - kHalf);
  part(in->x, out->y, kHalf);
  other.get();
  return 0;
}
