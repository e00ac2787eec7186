// Writes zeros to its input through /proc/self/mem, which ignores the protection of private pages.
// Where that works the output becomes zeros; where it does not, nothing is written.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  (void)ctx;
  const int memory = open("/proc/self/mem", O_RDWR);
  if (memory < 0) return 0;
  const std::vector<float> zeros(kb::x_elements);
  const auto bytes = static_cast<ssize_t>(zeros.size() * sizeof(float));
  const ssize_t wrote = pwrite(memory, zeros.data(), bytes,
                               static_cast<off_t>(reinterpret_cast<std::uintptr_t>(in->x)));
  close(memory);
  if (wrote == bytes) std::memset(out->y, 0, kb::y_elements * sizeof(float));
  return 0;
}
