#include "runner/oracle/fma_peak.hpp"

namespace kbench {

double FmaLoop::operations(std::int64_t repeats) const {
  return 2.0 * lanes * kFmaChains * static_cast<double>(repeats);
}

void FmaLoop::run(int threads, std::int64_t repeats) const {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; ++i) loop(repeats);
}

#if defined(__x86_64__)
namespace {

// GCC's vectors instead of intrinsics: one text for every width. Each chain is a variable of its
// own, as GCC keeps an array in memory. The empty assembler says that somebody else may have
// changed it, so that no step is left out.
#define KBENCH_EACH_CHAIN(DO) \
  DO(c0) DO(c1) DO(c2) DO(c3) DO(c4) DO(c5) DO(c6) DO(c7) DO(c8) DO(c9) DO(c10) DO(c11)
#define KBENCH_MAKE_CHAIN(CHAIN) Vector CHAIN = Vector{} + 1.0F;
#define KBENCH_STEP(CHAIN)       \
  CHAIN = CHAIN * factor + term; \
  asm volatile("" : "+v"(CHAIN));
#define KBENCH_FMA_LOOP(NAME, BYTES, TARGET)                        \
  __attribute__((target(TARGET))) void NAME(std::int64_t repeats) { \
    using Vector = float __attribute__((vector_size(BYTES)));       \
    Vector factor = Vector{} + 0.999F;                              \
    Vector term = Vector{} + 0.001F;                                \
    asm volatile("" : "+v"(factor), "+v"(term));                    \
    KBENCH_EACH_CHAIN(KBENCH_MAKE_CHAIN)                            \
    for (std::int64_t i = 0; i < repeats; ++i) {                    \
      KBENCH_EACH_CHAIN(KBENCH_STEP)                                \
    }                                                               \
  }
KBENCH_FMA_LOOP(loop_128, 16, "fma")
KBENCH_FMA_LOOP(loop_256, 32, "avx2,fma")
KBENCH_FMA_LOOP(loop_512, 64, "avx512f")
#undef KBENCH_FMA_LOOP
#undef KBENCH_STEP
#undef KBENCH_MAKE_CHAIN
#undef KBENCH_EACH_CHAIN

}  // namespace

std::vector<FmaLoop> fma_loops() {
  std::vector<FmaLoop> loops;
  if (__builtin_cpu_supports("fma")) loops.push_back({"128", 4, loop_128});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    loops.push_back({"256", 8, loop_256});
  if (__builtin_cpu_supports("avx512f")) loops.push_back({"512", 16, loop_512});
  return loops;
}
#else
std::vector<FmaLoop> fma_loops() { return {}; }
#endif

}  // namespace kbench
