// LeNet-5 in one kernel: a block takes four images through all layers in shared memory. In the
// convolutions a thread loads a 6 x 6 window once and computes the 2 x 2 pixels that are pooled
// together; in the linear layers a warp computes one feature of all four images.
#include <cuda_runtime.h>

#include "reduce.cuh"
#include "task.h"

namespace {

constexpr int kBatch = kb::x_dims[0];
constexpr int kSide = kb::x_dims[2];
constexpr int kKernel = 5;
constexpr int kWindow = kKernel + 1;
constexpr int kTaps = kKernel * kKernel;
constexpr int kChannels1 = kb::conv1_weight_dims[0];
constexpr int kChannels2 = kb::conv2_weight_dims[0];
constexpr int kSide1 = (kSide - kKernel + 1) / 2;
constexpr int kSide2 = (kSide1 - kKernel + 1) / 2;
constexpr int kFeatures0 = kChannels2 * kSide2 * kSide2;
constexpr int kFeatures1 = kb::fc1_weight_dims[0];
constexpr int kFeatures2 = kb::fc2_weight_dims[0];
constexpr int kClasses = kb::fc3_weight_dims[0];
constexpr int kImages = 4;  // of one block
constexpr int kThreads = 256;
static_assert(kb::conv1_weight_dims[2] == kKernel && kb::fc1_weight_dims[1] == kFeatures0);

struct Features {
  float pooled2[kImages][kFeatures0];
  float hidden1[kImages][kFeatures1];
  float hidden2[kImages][kFeatures2];
};

struct Shared {
  union {
    float image[kImages][kSide * kSide];  // until the first convolution is done
    Features features;                    // after it
  };
  float pooled1[kImages][kChannels1 * kSide1 * kSide1];
  float weight1[kChannels1 * kTaps];
  float weight2[kChannels2 * kChannels1 * kTaps];
};
static_assert(sizeof(Shared) <= 48 * 1024);

__device__ float relu(float value) { return value < 0 ? 0 : value; }

__device__ void copy(float* destination, const float* source, int count) {
  for (int i = threadIdx.x; i < count; i += kThreads) destination[i] = source[i];
}

template <int kRow>
__device__ void load_window(const float* corner, float (&window)[kWindow][kWindow]) {
#pragma unroll
  for (int y = 0; y < kWindow; ++y) {
#pragma unroll
    for (int x = 0; x < kWindow; ++x) window[y][x] = corner[y * kRow + x];
  }
}

// Adds one input channel's share to the 2 x 2 pixels.
__device__ void add_taps(const float (&window)[kWindow][kWindow], const float* weight,
                         float (&sums)[4]) {
#pragma unroll
  for (int ky = 0; ky < kKernel; ++ky) {
#pragma unroll
    for (int kx = 0; kx < kKernel; ++kx) {
      const float w = weight[ky * kKernel + kx];
      sums[0] += w * window[ky][kx];
      sums[1] += w * window[ky][kx + 1];
      sums[2] += w * window[ky + 1][kx];
      sums[3] += w * window[ky + 1][kx + 1];
    }
  }
}

__device__ float pool(const float (&sums)[4], float bias) {
  return relu(fmaxf(fmaxf(sums[0], sums[1]), fmaxf(sums[2], sums[3])) + bias);
}

__device__ void first_convolution(Shared& shared, const float* bias) {
  constexpr int kPixels = kSide1 * kSide1;
  for (int task = threadIdx.x; task < kImages * kPixels; task += kThreads) {
    const int image = task / kPixels;
    const int pixel = task % kPixels;
    const int corner = pixel / kSide1 * 2 * kSide + pixel % kSide1 * 2;
    float window[kWindow][kWindow];
    load_window<kSide>(shared.image[image] + corner, window);
#pragma unroll 1
    for (int channel = 0; channel < kChannels1; ++channel) {
      float sums[4] = {};
      add_taps(window, shared.weight1 + channel * kTaps, sums);
      shared.pooled1[image][channel * kPixels + pixel] = pool(sums, bias[channel]);
    }
  }
}

__device__ void second_convolution(Shared& shared, const float* bias) {
  constexpr int kPixels = kSide2 * kSide2;
  for (int task = threadIdx.x; task < kImages * kFeatures0; task += kThreads) {
    const int image = task / kFeatures0;
    const int channel = task % kFeatures0 / kPixels;
    const int pixel = task % kPixels;
    const int corner = pixel / kSide2 * 2 * kSide1 + pixel % kSide2 * 2;
    float sums[4] = {};
#pragma unroll 1
    for (int input = 0; input < kChannels1; ++input) {
      float window[kWindow][kWindow];
      load_window<kSide1>(shared.pooled1[image] + input * kSide1 * kSide1 + corner, window);
      add_taps(window, shared.weight2 + (channel * kChannels1 + input) * kTaps, sums);
    }
    shared.features.pooled2[image][channel * kPixels + pixel] = pool(sums, bias[channel]);
  }
}

// out[image * out_stride + feature] for `images` images; weights [kOut, kIn] are read from memory.
template <int kIn, int kOut, bool kRelu>
__device__ void linear(const float (*in)[kIn], const float* weight, const float* bias, float* out,
                       int out_stride, int images) {
  const int lane = threadIdx.x % 32;
  for (int feature = threadIdx.x / 32; feature < kOut; feature += kThreads / 32) {
    float sums[kImages] = {};
    for (int k = lane; k < kIn; k += 32) {
      const float w = weight[feature * kIn + k];
#pragma unroll
      for (int image = 0; image < kImages; ++image) sums[image] += w * in[image][k];
    }
#pragma unroll
    for (int image = 0; image < kImages; ++image) {
      const float sum = example::reduce_lanes<32>(sums[image], example::Add{}) + bias[feature];
      if (lane == 0 && image < images) {
        out[image * out_stride + feature] = kRelu ? relu(sum) : sum;
      }
    }
  }
}

__global__ __launch_bounds__(kThreads) void lenet5_kernel(const float* x, kb_params p, float* y) {
  __shared__ Shared shared;
  const int first = blockIdx.x * kImages;
  const int images = min(kImages, kBatch - first);
  for (int i = threadIdx.x; i < kImages * kSide * kSide; i += kThreads) {
    const bool inside = i < images * kSide * kSide;
    shared.image[0][i] = inside ? x[static_cast<size_t>(first) * kSide * kSide + i] : 0;
  }
  copy(shared.weight1, p.conv1_weight, kChannels1 * kTaps);
  copy(shared.weight2, p.conv2_weight, kChannels2 * kChannels1 * kTaps);
  __syncthreads();
  first_convolution(shared, p.conv1_bias);
  __syncthreads();
  second_convolution(shared, p.conv2_bias);  // overwrites the images
  __syncthreads();
  Features& f = shared.features;
  linear<kFeatures0, kFeatures1, true>(f.pooled2, p.fc1_weight, p.fc1_bias, f.hidden1[0],
                                       kFeatures1, kImages);
  __syncthreads();
  linear<kFeatures1, kFeatures2, true>(f.hidden1, p.fc2_weight, p.fc2_bias, f.hidden2[0],
                                       kFeatures2, kImages);
  __syncthreads();
  linear<kFeatures2, kClasses, false>(f.hidden2, p.fc3_weight, p.fc3_bias, y + first * kClasses,
                                      kClasses, images);
}

}  // namespace

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  lenet5_kernel<<<(kBatch + kImages - 1) / kImages, kThreads, 0,
                  static_cast<cudaStream_t>(context->stream)>>>(in->x, *p, out->y);
  return cudaGetLastError();
}
