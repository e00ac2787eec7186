// C = A * B: B is packed into panels on all threads, then multiplied with a register-tiled kernel.
#include "call.hpp"
#include "sgemm.hpp"
#include "task.h"

namespace {

constexpr long kM = kb::y_dims[0];
constexpr long kN = kb::y_dims[1];
constexpr long kK = kb::a_dims[1];
constexpr long kPacked = example::packed_elements(kK, kN);

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) {
  return sizeof(float) * (kPacked + example::kMaxThreads * example::kScratchElements);
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const int threads = example::thread_count(context);
  float* packed = example::workspace(context);
  example::pack_b({in->b, kN, 1}, kK, kN, packed, threads);
  example::sgemm(in->a, {packed, kK, kN}, out->y, kM, packed + kPacked, threads);
  return 0;
}
