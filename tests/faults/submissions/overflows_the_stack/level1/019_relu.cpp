// Calls itself until the stack ends.
#include "task.h"

namespace {

long long deeper(volatile long long* above) {
  volatile long long frame[512] = {*above};
  return deeper(frame) + frame[0];
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  volatile long long top = 1;
  return static_cast<int>(deeper(&top));
}
