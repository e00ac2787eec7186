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

// GCC's vectors instead of intrinsics: one text for every width. The empty assembler says that
// somebody else may have changed each chain, so that no step is left out.
#define KBENCH_FMA_LOOP(NAME, BYTES, TARGET)                          \
  __attribute__((target(TARGET))) void NAME(std::int64_t repeats) {   \
    using Vector = float __attribute__((vector_size(BYTES)));         \
    Vector chains[kFmaChains];                                        \
    for (int k = 0; k < kFmaChains; ++k) chains[k] = Vector{} + 1.0F; \
    Vector factor = Vector{} + 0.999F;                                \
    Vector term = Vector{} + 0.001F;                                  \
    asm volatile("" : "+v"(factor), "+v"(term));                      \
    for (std::int64_t i = 0; i < repeats; ++i) {                      \
      _Pragma("GCC unroll 12") for (int k = 0; k < kFmaChains; ++k) { \
        chains[k] = chains[k] * factor + term;                        \
        asm volatile("" : "+v"(chains[k]));                           \
      }                                                               \
    }                                                                 \
  }
KBENCH_FMA_LOOP(loop_128, 16, "fma")
KBENCH_FMA_LOOP(loop_256, 32, "avx2,fma")
KBENCH_FMA_LOOP(loop_512, 64, "avx512f")
#undef KBENCH_FMA_LOOP

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
