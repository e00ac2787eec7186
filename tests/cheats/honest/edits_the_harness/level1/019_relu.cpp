// Writes code of its own at run time, as a just-in-time compiler does, and calls it.
#include <sys/mman.h>

#include <cstring>

#include "task.h"

namespace {

// bool is_negative(float): reads the sign bit.
constexpr unsigned char kCode[] = {0x66, 0x0F, 0x7E, 0xC0,  // movd eax, xmm0
                                   0xC1, 0xE8, 0x1F,        // shr eax, 31
                                   0xC3};                   // ret

using IsNegative = bool (*)(float);

IsNegative assemble() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  std::memcpy(page, kCode, sizeof kCode);
  return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0 ? reinterpret_cast<IsNegative>(page)
                                                          : nullptr;
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* ctx) {
  static const IsNegative is_negative = assemble();
  if (is_negative == nullptr) return 1;
#pragma omp parallel for num_threads(ctx->threads)
  for (long long i = 0; i < kb::x_elements; ++i) out->y[i] = is_negative(in->x[i]) ? 0 : in->x[i];
  return 0;
}
