// Convolution, stride 1, without padding (callers pad), as a matrix product for sgemm.cuh: rows are
// output channels, columns output pixels, the inner dimension the taps (input channel, ky, kx). The
// window matrix is never built: each thread gathers the taps of one pixel from the image.
#pragma once

#include "sgemm.cuh"

namespace example {

// A convolution's shapes, all known when compiling. Columns count output pixels image by image, row
// by row; each image has a multiple of 4 of them.
template <int kBatchSize, int kInputs, int kInHeight, int kInWidth, int kKernelSize, int kOutputs>
struct ConvShape {
  static constexpr int kIn = kInputs;
  static constexpr int kOut = kOutputs;
  static constexpr int kKernel = kKernelSize;
  static constexpr int kRow = kInWidth;
  static constexpr int kPlane = kInHeight * kInWidth;
  static constexpr int kTaps = kInputs * kKernelSize * kKernelSize;
  static constexpr int kOutWidth = kInWidth - kKernelSize + 1;
  static constexpr int kPixels = (kInHeight - kKernelSize + 1) * kOutWidth;
  static constexpr int kColumns = kBatchSize * kPixels;
  static_assert(kPixels % 4 == 0);
  static_assert(static_cast<long long>(kBatchSize) * kPixels < 2147483647LL);

  // Where the window of a column begins in the input.
  __device__ static size_t window(int column) {
    const int pixel = column % kPixels;
    return static_cast<size_t>(column / kPixels) * kIn * kPlane + pixel / kOutWidth * kRow +
           pixel % kOutWidth;
  }

  // Where a channel's value of a column lies in an output of planes.
  __device__ static size_t output(int channel, int column) {
    return (static_cast<size_t>(column / kPixels) * kOut + channel) * kPixels + column % kPixels;
  }
};

// A tile of kExtent columns of the window matrix; `Shape` as above.
template <class Shape, int kExtent, int kThreads>
class WindowTile {
 public:
  struct Source {
    const float* data;
  };

  __device__ WindowTile(const Source& source, int first)
      : inside_(first + column() < Shape::kColumns),
        window_(source.data + (inside_ ? Shape::window(first + column()) : 0)) {}

  __device__ void fetch(int k0) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int k = k0 + first_tap() + i * kStep;
      const int place = k % (Shape::kKernel * Shape::kKernel);
      const int offset = k / (Shape::kKernel * Shape::kKernel) * Shape::kPlane +
                         place / Shape::kKernel * Shape::kRow + place % Shape::kKernel;
      values_[i] = inside_ && k < Shape::kTaps ? window_[offset] : 0;
    }
  }

  __device__ void commit(float (*shared)[kExtent + 4]) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) shared[first_tap() + i * kStep][column()] = values_[i];
  }

 private:
  static constexpr int kStep = kThreads / kExtent;  // taps that are gathered side by side
  static constexpr int kLoads = kTileK / kStep;
  static_assert(kStep * kExtent == kThreads && kLoads * kStep == kTileK);

  __device__ static int column() { return threadIdx.x % kExtent; }
  __device__ static int first_tap() { return threadIdx.x / kExtent; }

  bool inside_;
  const float* window_;
  float values_[kLoads];
};

// Epilogue: the output as planes, without a bias.
template <class Shape>
struct StorePlanes {
  float* y;

  __device__ void operator()(int channel, int column, float4 sums, bool inside) const {
    if (inside) store4(y + Shape::output(channel, column), sums);
  }
};

// Weights as PyTorch stores them, [output channel][tap]. Tiles are 128 channels high, or 64 where
// there are no more.
template <class Shape, class Epilogue>
cudaError_t launch_conv(const float* x, const float* weight, const Epilogue& epilogue,
                        void* stream) {
  constexpr int kM = Shape::kOut <= 64 ? 64 : 128;
  constexpr int kN = 128;
  constexpr int kThreads = kTileThreads<kM, kN>;
  using Weights = KMajorTile<kM, kThreads, Shape::kTaps % 4 == 0>;
  using Windows = WindowTile<Shape, kN, kThreads>;
  return launch_sgemm<kM, kN, Weights, Windows>({weight, Shape::kOut, Shape::kTaps}, {x}, epilogue,
                                                Shape::kOut, Shape::kColumns, Shape::kTaps, stream);
}

}  // namespace example
