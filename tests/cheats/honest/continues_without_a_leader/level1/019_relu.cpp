// A thread for each half of the work, and a timer without signals that is read inside the call.
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "task.h"

namespace {

void relu(const float* x, float* y, long long first, long long last) {
  for (long long i = first; i < last; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  static const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const itimerspec soon{{0, 0}, {0, 1000}};
  std::uint64_t expired = 0;
  if (timerfd_settime(timer, 0, &soon, nullptr) != 0) return 1;
  if (read(timer, &expired, sizeof expired) != sizeof expired) return 2;
  constexpr long long kHalf = kb::x_elements / 2;
  std::thread other([&] { relu(in->x, out->y, 0, kHalf); });
  relu(in->x, out->y, kHalf, kb::x_elements);
  other.join();
  return 0;
}
