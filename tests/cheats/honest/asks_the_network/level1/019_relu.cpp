// Two of its threads talk through a pipe.
#include <unistd.h>

#include <thread>

#include "task.h"

namespace {

void half(const float* x, float* y) {
  for (long long i = 0; i < kb::x_elements / 2; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  (void)ctx;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread other([&] {
    half(in->x, out->y);
    if (write(ends[1], "d", 1) != 1) return;
  });
  half(in->x + kb::x_elements / 2, out->y + kb::x_elements / 2);
  char done = 0;
  const bool told = read(ends[0], &done, 1) == 1;
  other.join();
  close(ends[0]);
  close(ends[1]);
  return told ? 0 : 1;
}
