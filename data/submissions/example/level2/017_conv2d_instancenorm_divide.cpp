// Convolution, instance norm and division in one sweep: a thread computes a group of output planes
// of one image, and normalises each in place while the group is still in its level-2 cache. The
// division is part of the normalisation's factor.
#include "call.hpp"
#include "conv.hpp"
#include "statistics.hpp"
#include "task.h"

namespace {

constexpr long kBatch = kb::x_dims[0];
constexpr long kIn = kb::x_dims[1];
constexpr long kHeight = kb::x_dims[2];
constexpr long kWidth = kb::x_dims[3];
constexpr long kChannels = kb::y_dims[1];
constexpr long kOutHeight = kb::y_dims[2];
constexpr long kOutWidth = kb::y_dims[3];
constexpr long kPixels = kOutHeight * kOutWidth;
constexpr long kKernel = kb::conv_weight_dims[2];
constexpr long kTaps = kIn * kKernel * kKernel;
constexpr double kEpsilon = 1e-5;
constexpr double kDivisor = 2.0;
// Output channels a thread takes at once: about 2 MiB of planes.
constexpr long kGroup = kPixels * 64 * 4 <= (2L << 20) ? 64 : 32;
static_assert(kChannels % kGroup == 0 && kGroup % example::kTileRows == 0);

void normalise_plane(float* plane) {
  const example::Sums sums = example::sum_row(plane, kPixels);
  const auto [scale, shift] = example::normalisation(sums, kPixels, kEpsilon, 1 / kDivisor);
#pragma omp simd
  for (long i = 0; i < kPixels; ++i) plane[i] = plane[i] * scale + shift;
}

// `planes`: the group's first output plane.
void compute_group(const float* image, const float* weights, float* planes) {
  for (long y = 0; y < kOutHeight; ++y) {
    example::conv_row<kIn, kKernel>({image + y * kWidth, kWidth, kHeight * kWidth}, weights,
                                    nullptr, kGroup, {planes + y * kOutWidth, kOutWidth, kPixels},
                                    kOutWidth);
  }
  for (long c = 0; c < kGroup; ++c) normalise_plane(planes + c * kPixels);
}

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
    for (long c = 0; c < kChannels; c += kGroup) {
      compute_group(in->x + n * kIn * kHeight * kWidth, weights + c * kTaps,
                    out->y + (n * kChannels + c) * kPixels);
    }
  }
  return 0;
}
