// A 3 x 3 convolution, computed directly: each thread takes rows of output pixels and walks the
// output channels while the input windows of one tile stay in the level-1 cache.
#include "call.hpp"
#include "conv.hpp"
#include "task.h"

namespace {

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kHeight = kb::x_dims[2];
constexpr long kWidth = kb::x_dims[3];
constexpr long kChannels = kb::y_dims[1];
constexpr long kOutHeight = kb::y_dims[2];
constexpr long kOutWidth = kb::y_dims[3];
constexpr long kKernel = kb::conv_weight_dims[2];
constexpr long kTaps = kIn * kKernel * kKernel;
static_assert(kChannels % example::kTileRows == 0);

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(float) * kChannels * kTaps; }

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  example::pack_a(p->conv_weight, kTaps, kChannels, kTaps, example::workspace(context));
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const float* weights = example::workspace(context);
#pragma omp parallel for collapse(2) num_threads(example::thread_count(context)) schedule(static)
  for (long n = 0; n < kBatch; ++n) {
    for (long y = 0; y < kOutHeight; ++y) {
      const float* rows = in->x + (n * kIn * kHeight + y) * kWidth;
      float* pixels = out->y + (n * kChannels * kOutHeight + y) * kOutWidth;
      example::conv_row<kIn, kKernel>({rows, kWidth, kHeight * kWidth}, weights, nullptr, kChannels,
                                      {pixels, kOutWidth, kOutHeight * kOutWidth}, kOutWidth);
    }
  }
  return 0;
}
