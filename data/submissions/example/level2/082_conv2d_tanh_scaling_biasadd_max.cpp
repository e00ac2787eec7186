// Convolution, tanh, scaling, bias and 4 x 4 maximum without an intermediate in memory: a thread
// computes the four rows of convolution below one row of the output into a buffer in its level-2
// cache. tanh and a positive scale keep order, so the maximum is taken first and tanh of it only:
// a sixteenth of the tanh's.
#include "call.hpp"
#include "conv.hpp"
#include "task.h"
#include "vector_math.hpp"

namespace {

using example::kLanes;
using example::Vec;

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kHeight = kb::x_dims[2];
constexpr long kWidth = kb::x_dims[3];
constexpr long kChannels = kb::y_dims[1];
constexpr long kOutHeight = kb::y_dims[2];
constexpr long kOutWidth = kb::y_dims[3];
constexpr long kKernel = kb::conv_weight_dims[2];
constexpr long kTaps = kIn * kKernel * kKernel;
constexpr long kPool = 4;
constexpr float kScale = 2.0f;
constexpr long kUsedWidth = kOutWidth * kPool;  // columns of the convolution that are pooled
constexpr long kBandRow = example::round_up(kUsedWidth, kLanes);
constexpr long kBand = kChannels * kPool * kBandRow;  // floats of one thread's buffer
static_assert(kScale > 0 && kChannels % example::kTileRows == 0);

// Maximum over a window of kPool x kPool; `rows` are the channel's kPool rows of convolution.
void pool_row(const float* rows, float bias, float* out) {
  float tallest[kBandRow];
#pragma omp simd
  for (long x = 0; x < kUsedWidth; ++x) {
    float value = rows[x];
    for (long y = 1; y < kPool; ++y) {
      const float other = rows[y * kBandRow + x];
      value = value < other ? other : value;
    }
    tallest[x] = value;
  }
  float pooled[example::round_up(kOutWidth, kLanes)] = {};
  for (long x = 0; x < kOutWidth; ++x) {
    float value = tallest[x * kPool];
    for (long i = 1; i < kPool; ++i) {
      value = value < tallest[x * kPool + i] ? tallest[x * kPool + i] : value;
    }
    pooled[x] = value;
  }
  for (long x = 0; x < kOutWidth; x += kLanes) {
    const Vec value = example::tanh(example::load(pooled + x)) * kScale + bias;
    if (x + kLanes <= kOutWidth) {
      example::store(out + x, value);
    } else {
      example::store_partial(out + x, value, kOutWidth - x);
    }
  }
}

// One row of the output for all channels. `image` begins at the first input row it depends on.
void compute_band(const float* image, const float* weights, const kb_params* p, float* band,
                  float* out) {
  for (long y = 0; y < kPool; ++y) {
    example::conv_row<kIn, kKernel>({image + y * kWidth, kWidth, kHeight * kWidth}, weights,
                                    p->conv_bias, kChannels,
                                    {band + y * kBandRow, kBandRow, kPool * kBandRow}, kUsedWidth);
  }
  for (long c = 0; c < kChannels; ++c) {
    pool_row(band + c * kPool * kBandRow, p->bias[c], out + c * kOutHeight * kOutWidth);
  }
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) {
  return sizeof(float) * (kChannels * kTaps + example::kMaxThreads * kBand);
}

extern "C" int kbench_prepare(const kb_params* p, kb_context* context) {
  example::pack_a(p->conv_weight, kTaps, kChannels, kTaps, example::workspace(context));
  return 0;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  const float* weights = example::workspace(context);
  float* bands = example::workspace(context) + kChannels * kTaps;
#pragma omp parallel for collapse(2) num_threads(example::thread_count(context)) schedule(static)
  for (long n = 0; n < kBatch; ++n) {
    for (long y = 0; y < kOutHeight; ++y) {
      compute_band(in->x + (n * kIn * kHeight + y * kPool) * kWidth, weights, p,
                   bands + omp_get_thread_num() * kBand,
                   out->y + (n * kChannels * kOutHeight + y) * kOutWidth);
    }
  }
  return 0;
}
