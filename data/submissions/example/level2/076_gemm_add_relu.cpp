// y = relu(x * weight^T + bias): the weight is packed once per parameter set, bias and relu are
// applied while a finished block of the product is still in the cache.
#include "call.hpp"
#include "sgemm.hpp"
#include "task.h"

namespace {

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kOut = kb::linear_weight_dims[0];
constexpr long kPacked = example::packed_elements(kIn, kOut);

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) {
  return sizeof(float) * (kPacked + example::kMaxThreads * example::kScratchElements);
}

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  example::pack_b({p->linear_weight, 1, kIn}, kIn, kOut, example::workspace(context),
                  example::thread_count(context));
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  float* packed = example::workspace(context);
  const auto bias_relu = [bias = p->bias](float* y, long, long column, long count) {
#pragma omp simd
    for (long i = 0; i < count; ++i) {
      const float value = y[i] + bias[column + i];
      y[i] = value < 0 ? 0 : value;
    }
  };
  example::sgemm(in->x, {packed, kIn, kOut}, out->y, kBatch, packed + kPacked,
                 example::thread_count(context), bias_relu);
  return 0;
}
