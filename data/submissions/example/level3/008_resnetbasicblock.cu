// relu(norm(conv3x3(relu(norm(conv3x3(x))))) + norm(conv1x1(x))), batch statistics, no biases.
//
// Convolutions are matrix products over padded planes. Sums for the norms are accumulated in double
// precision. The 1 x 1 shortcut is never stored: its mean and variance follow from the mean and
// covariance of the few input channels, and the last kernel recomputes it, its norm folded into its
// weights.
#include "conv.cuh"
#include "reduce.cuh"
#include "task.h"

namespace {

constexpr int kBatch = kb::x_dims[0];
constexpr int kIn = kb::x_dims[1];
constexpr int kHeight = kb::x_dims[2];
constexpr int kWidth = kb::x_dims[3];
constexpr int kPixels = kHeight * kWidth;
constexpr int kChannels = kb::conv1_weight_dims[0];
constexpr int kPaddedWidth = kWidth + 2;
constexpr int kPaddedPlane = (kHeight + 2) * kPaddedWidth;
constexpr double kCount = static_cast<double>(kBatch) * kPixels;
constexpr double kEpsilon = 1e-5;
constexpr int kThreads = 256;
static_assert(kb::y_elements == 1LL * kBatch * kChannels * kPixels, "stride 1");

using FirstShape = example::ConvShape<kBatch, kIn, kHeight + 2, kWidth + 2, 3, kChannels>;
using SecondShape = example::ConvShape<kBatch, kChannels, kHeight + 2, kWidth + 2, 3, kChannels>;

// y = x * scale + shift.
struct Affine {
  float scale;
  float shift;
};

struct Sums {
  double sum;
  double squares;
};

// Sums of the input channels and of their products, of one image.
struct Moments {
  double sum[kIn];
  double product[kIn][kIn];  // lower triangle
};

struct Workspace {
  Sums sums[kBatch * kChannels];  // of each plane
  Moments moments[kBatch];
  Affine norm[kChannels];
  float shortcut_weight[kChannels][kIn];  // with the shortcut's norm
  float shortcut_shift[kChannels];
  float input[kBatch * kIn * kPaddedPlane];
  float hidden[kBatch * kChannels * kPaddedPlane];
};

__device__ float relu(float value) { return value < 0 ? 0 : value; }  // keeps NaN

struct Identity {
  __device__ float operator()(int, float value) const { return value; }
};

struct NormRelu {
  const Affine* norm;

  __device__ float operator()(int plane, float value) const {
    const Affine affine = norm[plane % kChannels];
    return relu(value * affine.scale + affine.shift);
  }
};

// Copies planes into planes with a border of one zero pixel, through `function(plane, value)`.
// One block a plane and slice.
template <class Function>
__global__ __launch_bounds__(kThreads) void pad_kernel(const float* in, float* out,
                                                       Function function) {
  const int plane = blockIdx.x;
  for (int i = blockIdx.y * kThreads + threadIdx.x; i < kPaddedPlane; i += gridDim.y * kThreads) {
    const int y = i / kPaddedWidth - 1;
    const int x = i % kPaddedWidth - 1;
    const bool inside = y >= 0 && y < kHeight && x >= 0 && x < kWidth;
    out[static_cast<size_t>(plane) * kPaddedPlane + i] =
        inside ? function(plane, in[static_cast<size_t>(plane) * kPixels + y * kWidth + x]) : 0;
  }
}

// Sums of each plane; one block a plane.
__global__ __launch_bounds__(kThreads) void plane_sums_kernel(const float* planes, Sums* sums) {
  const float* pixels = planes + static_cast<size_t>(blockIdx.x) * kPixels;
  double sum = 0;
  double squares = 0;
  for (int i = threadIdx.x; i < kPixels; i += kThreads) {
    const double value = pixels[i];
    sum += value;
    squares += value * value;
  }
  sum = example::reduce_block<kThreads>(sum, example::Add{});
  squares = example::reduce_block<kThreads>(squares, example::Add{});
  if (threadIdx.x == 0) sums[blockIdx.x] = {sum, squares};
}

// The norm of each channel, one thread a channel.
__global__ void finish_norm_kernel(const Sums* sums, const float* gamma, const float* beta,
                                   Affine* norm) {
  const int channel = threadIdx.x;
  Sums total{0, 0};
  for (int n = 0; n < kBatch; ++n) {
    total.sum += sums[n * kChannels + channel].sum;
    total.squares += sums[n * kChannels + channel].squares;
  }
  const double mean = total.sum / kCount;
  const double variance = fmax(total.squares / kCount - mean * mean, 0.0);
  const double scale = gamma[channel] / sqrt(variance + kEpsilon);
  norm[channel] = {static_cast<float>(scale), static_cast<float>(beta[channel] - mean * scale)};
}

// One block an image.
__global__ __launch_bounds__(kThreads) void moments_kernel(const float* x, Moments* moments) {
  const float* image = x + static_cast<size_t>(blockIdx.x) * kIn * kPixels;
  Moments local{};
  for (int i = threadIdx.x; i < kPixels; i += kThreads) {
    double value[kIn];
    for (int c = 0; c < kIn; ++c) value[c] = image[c * kPixels + i];
    for (int c = 0; c < kIn; ++c) {
      local.sum[c] += value[c];
      for (int d = 0; d <= c; ++d) local.product[c][d] += value[c] * value[d];
    }
  }
  for (int c = 0; c < kIn; ++c) {
    const double sum = example::reduce_block<kThreads>(local.sum[c], example::Add{});
    if (threadIdx.x == 0) moments[blockIdx.x].sum[c] = sum;
    for (int d = 0; d <= c; ++d) {
      const double product = example::reduce_block<kThreads>(local.product[c][d], example::Add{});
      if (threadIdx.x == 0) moments[blockIdx.x].product[c][d] = product;
    }
  }
}

// Folds the shortcut's norm into its weights, one thread a channel.
__global__ void fold_shortcut_kernel(const Moments* moments, kb_params p, Workspace* w) {
  const int channel = threadIdx.x;
  Moments total{};
  for (int n = 0; n < kBatch; ++n) {
    for (int c = 0; c < kIn; ++c) {
      total.sum[c] += moments[n].sum[c] / kCount;
      for (int d = 0; d <= c; ++d) total.product[c][d] += moments[n].product[c][d] / kCount;
    }
  }
  const float* weight = p.shortcut_0_weight + channel * kIn;
  double mean = 0;
  double variance = 0;
  for (int c = 0; c < kIn; ++c) {
    mean += weight[c] * total.sum[c];
    for (int d = 0; d <= c; ++d) {
      const double covariance = total.product[c][d] - total.sum[c] * total.sum[d];
      variance += (c == d ? 1.0 : 2.0) * weight[c] * weight[d] * covariance;
    }
  }
  const double scale = p.shortcut_1_weight[channel] / sqrt(fmax(variance, 0.0) + kEpsilon);
  for (int c = 0; c < kIn; ++c) {
    w->shortcut_weight[channel][c] = static_cast<float>(weight[c] * scale);
  }
  w->shortcut_shift[channel] = static_cast<float>(p.shortcut_1_bias[channel] - mean * scale);
}

// y = relu(norm(y) + shortcut); one block a plane and slice.
__global__ __launch_bounds__(kThreads) void add_shortcut_kernel(const float* x, const Workspace* w,
                                                                float* y) {
  const int channel = blockIdx.x % kChannels;
  const float* image = x + static_cast<size_t>(blockIdx.x / kChannels) * kIn * kPixels;
  float* pixels = y + static_cast<size_t>(blockIdx.x) * kPixels;
  const Affine norm = w->norm[channel];
  for (int i = blockIdx.y * kThreads + threadIdx.x; i < kPixels; i += gridDim.y * kThreads) {
    float shortcut = w->shortcut_shift[channel];
    for (int c = 0; c < kIn; ++c)
      shortcut += w->shortcut_weight[channel][c] * image[c * kPixels + i];
    pixels[i] = relu(pixels[i] * norm.scale + norm.shift + shortcut);
  }
}

constexpr int kSlices = 8;  // blocks that share a plane

}  // namespace

extern "C" uint64_t kbench_workspace_bytes(void) { return sizeof(Workspace); }

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  auto* w = static_cast<Workspace*>(context->workspace);
  const auto stream = static_cast<cudaStream_t>(context->stream);
  const dim3 hidden_grid(kBatch * kChannels, kSlices);
  float* y = out->y;  // holds each convolution's sums until they are normalised

  pad_kernel<<<dim3(kBatch * kIn, kSlices), kThreads, 0, stream>>>(in->x, w->input, Identity{});
  moments_kernel<<<kBatch, kThreads, 0, stream>>>(in->x, w->moments);
  fold_shortcut_kernel<<<1, kChannels, 0, stream>>>(w->moments, *p, w);

  cudaError_t error = example::launch_conv<FirstShape>(
      w->input, p->conv1_weight, example::StorePlanes<FirstShape>{y}, context->stream);
  if (error != cudaSuccess) return error;
  plane_sums_kernel<<<kBatch * kChannels, kThreads, 0, stream>>>(y, w->sums);
  finish_norm_kernel<<<1, kChannels, 0, stream>>>(w->sums, p->norm1_weight, p->norm1_bias, w->norm);
  pad_kernel<<<hidden_grid, kThreads, 0, stream>>>(y, w->hidden, NormRelu{w->norm});

  error = example::launch_conv<SecondShape>(w->hidden, p->conv2_weight,
                                            example::StorePlanes<SecondShape>{y}, context->stream);
  if (error != cudaSuccess) return error;
  plane_sums_kernel<<<kBatch * kChannels, kThreads, 0, stream>>>(y, w->sums);
  finish_norm_kernel<<<1, kChannels, 0, stream>>>(w->sums, p->norm2_weight, p->norm2_bias, w->norm);
  add_shortcut_kernel<<<hidden_grid, kThreads, 0, stream>>>(in->x, w, y);
  return cudaGetLastError();
}
