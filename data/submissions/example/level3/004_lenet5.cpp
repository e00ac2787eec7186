// LeNet-5 with one image a vector lane: a thread transposes a vector's worth of images and takes
// them through the whole network in its level-2 cache. Every layer is then the same loop, weights
// broadcast over images, and bias, relu and pooling happen in registers.
#include "call.hpp"
#include "microkernel.hpp"
#include "sgemm.hpp"
#include "task.h"

namespace {

using example::kLanes;
using example::Vec;

constexpr long kBatch = kb::x_dims[0];
constexpr long kSide = kb::x_dims[2];
constexpr long kKernel = kb::conv1_weight_dims[2];
constexpr long kChannels1 = kb::conv1_weight_dims[0];
constexpr long kChannels2 = kb::conv2_weight_dims[0];
constexpr long kSide1 = (kSide - kKernel + 1) / 2;   // after the first pooling
constexpr long kSide2 = (kSide1 - kKernel + 1) / 2;  // after the second
constexpr long kFeatures0 = kb::fc1_weight_dims[1];
constexpr long kFeatures1 = kb::fc1_weight_dims[0];
constexpr long kFeatures2 = kb::fc2_weight_dims[0];
constexpr long kClasses = kb::fc3_weight_dims[0];
static_assert(kFeatures0 == kChannels2 * kSide2 * kSide2);

// Activations of kLanes images: [feature][image].
struct Activations {
  alignas(64) float image[kSide * kSide * kLanes];
  float pooled1[kChannels1 * kSide1 * kSide1 * kLanes];
  float pooled2[kFeatures0 * kLanes];
  float hidden1[kFeatures1 * kLanes];
  float hidden2[kFeatures2 * kLanes];
  float scores[kClasses * kLanes];
};

// relu, bias and the maximum of the 2 x 2 pixels of one channel.
Vec pool(Vec a, Vec b, Vec c, Vec d, float bias) {
  return example::relu(example::max(example::max(a, b), example::max(c, d)) + bias);
}

// Convolution, relu and 2 x 2 pooling from `kInSide` squared pixels, kBlock output channels at
// once.
template <long kIn, long kInSide, long kOut, long kBlock>
void conv_relu_pool(const float* in, const float* weight, const float* bias, float* out) {
  static_assert(kOut % kBlock == 0);
  constexpr long kOutSide = (kInSide - kKernel + 1) / 2;
  constexpr long kTaps = kIn * kKernel * kKernel;
  for (long block = 0; block < kOut; block += kBlock) {
    for (long y = 0; y < kOutSide; ++y) {
      for (long x = 0; x < kOutSide; ++x) {
        Vec upper[static_cast<std::size_t>(kBlock)][2] = {};
        Vec lower[static_cast<std::size_t>(kBlock)][2] = {};
        const float* tap = weight + block * kTaps;
        for (long c = 0; c < kIn; ++c) {
          const float* window = in + ((c * kInSide + 2 * y) * kInSide + 2 * x) * kLanes;
          for (long ky = 0; ky < kKernel; ++ky, window += kInSide * kLanes) {
            for (long kx = 0; kx < kKernel; ++kx, ++tap) {
              example::multiply_step(tap, kTaps, window + kx * kLanes, upper);
              example::multiply_step(tap, kTaps, window + (kInSide + kx) * kLanes, lower);
            }
          }
        }
#pragma GCC unroll 8
        for (long r = 0; r < kBlock; ++r) {
          example::store(out + (((block + r) * kOutSide + y) * kOutSide + x) * kLanes,
                         pool(upper[r][0], upper[r][1], lower[r][0], lower[r][1], bias[block + r]));
        }
      }
    }
  }
}

// kBlock outputs at once.
template <long kIn, long kOut, long kBlock, bool kRelu>
void linear(const float* in, const float* weight, const float* bias, float* out) {
  static_assert(kOut % kBlock == 0);
  for (long block = 0; block < kOut; block += kBlock) {
    Vec sums[static_cast<std::size_t>(kBlock)][1] = {};
    for (long k = 0; k < kIn; ++k) {
      example::multiply_step(weight + block * kIn + k, kIn, in + k * kLanes, sums);
    }
#pragma GCC unroll 16
    for (long r = 0; r < kBlock; ++r) {
      const Vec value = sums[r][0] + bias[block + r];
      example::store(out + (block + r) * kLanes, kRelu ? example::relu(value) : value);
    }
  }
}

// Images [first, first + count) with count <= kLanes.
void forward(const float* images, long count, const kb_params* p, Activations& a, float* scores) {
  if (count < kLanes) std::fill_n(a.image, kSide * kSide * kLanes, 0.0f);
  example::transpose(images, kSide * kSide, kSide * kSide, count, a.image, kLanes);
  conv_relu_pool<1, kSide, kChannels1, 6>(a.image, p->conv1_weight, p->conv1_bias, a.pooled1);
  conv_relu_pool<kChannels1, kSide1, kChannels2, 4>(a.pooled1, p->conv2_weight, p->conv2_bias,
                                                    a.pooled2);
  linear<kFeatures0, kFeatures1, 12, true>(a.pooled2, p->fc1_weight, p->fc1_bias, a.hidden1);
  linear<kFeatures1, kFeatures2, 12, true>(a.hidden1, p->fc2_weight, p->fc2_bias, a.hidden2);
  linear<kFeatures2, kClasses, 10, false>(a.hidden2, p->fc3_weight, p->fc3_bias, a.scores);
  for (long i = 0; i < count; ++i) {
    for (long c = 0; c < kClasses; ++c) scores[i * kClasses + c] = a.scores[c * kLanes + i];
  }
}

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) {
  return sizeof(Activations) * example::kMaxThreads;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  auto* activations = static_cast<Activations*>(context->workspace);
#pragma omp parallel for num_threads(example::thread_count(context)) schedule(static)
  for (long first = 0; first < kBatch; first += kLanes) {
    forward(in->x + first * kSide * kSide, std::min(kLanes, kBatch - first), p,
            activations[omp_get_thread_num()], out->y + first * kClasses);
  }
  return 0;
}
