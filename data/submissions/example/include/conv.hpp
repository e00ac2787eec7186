// Direct convolution on the CPU, stride 1, without padding (callers pad), planes as PyTorch lays
// them out. A register tile holds kTileRows output channels of up to three vectors of neighbouring
// pixels; each tap costs one load a vector and one broadcast a channel. The input windows of a tile
// are copied to a small buffer first: in place, planes a power of two apart would evict each other
// from the level-1 cache. Weights are packed by pack_a of sgemm.hpp: [channel block][input
// channel][ky][kx][kTileRows].
#pragma once

#include <algorithm>

#include "microkernel.hpp"
#include "sgemm.hpp"

namespace example {

// Channel planes with the distance, in floats, from row to row and from plane to plane.
struct Planes {
  float* data;
  long row;
  long plane;
};
struct ConstPlanes {
  const float* data;
  long row;
  long plane;
};

// Floats between two rows of the window buffer.
inline constexpr long kWindowRow = kTileColumns + 4;

// Copies the rows that a tile needs: [input channel][ky][kWindowRow]. `valid` pixels of it exist;
// what the others would read is zeroed.
template <long kIn, long kKernel>
void copy_window(ConstPlanes in, long valid, long width, float* window) {
  static_assert(kKernel <= 5);
  const auto bytes = static_cast<std::size_t>(valid + kKernel - 1) * sizeof(float);
  const auto rest = static_cast<std::size_t>(width - valid) * sizeof(float);
  for (long c = 0; c < kIn; ++c) {
    for (long ky = 0; ky < kKernel; ++ky, window += kWindowRow) {
      std::memcpy(window, in.data + c * in.plane + ky * in.row, bytes);
      if (rest > 0) std::memset(window + valid + kKernel - 1, 0, rest);
    }
  }
}

// `valid` pixels, at most kVecs vectors, of kTileRows output channels. `bias` may be null.
template <long kIn, long kKernel, std::size_t kVecs>
void conv_tile(const float* window, const float* weights, const float* bias, Planes out,
               long valid) {
  Vec sums[kTileRows][kVecs] = {};
  if (bias != nullptr) {
    for (long r = 0; r < kTileRows; ++r) {
      for (std::size_t v = 0; v < kVecs; ++v) sums[r][v] = broadcast(bias[r]);
    }
  }
  for (long row = 0; row < kIn * kKernel; ++row, window += kWindowRow) {
    for (long kx = 0; kx < kKernel; ++kx, weights += kTileRows) {
      multiply_step(weights, 1, window + kx, sums);
    }
  }
  constexpr long kLast = (kVecs - 1) * kLanes;
#pragma GCC unroll 8
  for (long r = 0; r < kTileRows; ++r) {
    float* pixels = out.data + r * out.plane;
#pragma GCC unroll 8
    for (std::size_t v = 0; v + 1 < kVecs; ++v) store(pixels + v * kLanes, sums[r][v]);
    if (valid == kLast + kLanes) {
      store(pixels + kLast, sums[r][kVecs - 1]);
    } else {
      store_partial(pixels + kLast, sums[r][kVecs - 1], valid - kLast);
    }
  }
}

// All channel blocks of one tile of kVecs vectors.
template <long kIn, long kKernel, std::size_t kVecs>
void conv_tiles(ConstPlanes in, const float* weights, const float* bias, long channels, Planes out,
                long valid) {
  constexpr long kTaps = kIn * kKernel * kKernel;
  alignas(64) float window[static_cast<std::size_t>(kIn * kKernel * kWindowRow)];
  copy_window<kIn, kKernel>(in, valid, kVecs * kLanes, window);
  for (long c = 0; c < channels; c += kTileRows) {
    conv_tile<kIn, kKernel, kVecs>(window, weights + c * kTaps,
                                   bias == nullptr ? nullptr : bias + c,
                                   {out.data + c * out.plane, out.row, out.plane}, valid);
  }
}

// One row of `width` output pixels of `channels` output channels, a multiple of kTileRows. `in` and
// `out` begin at the row's first window and pixel. The row is cut into tiles of nearly equal width.
template <long kIn, long kKernel>
void conv_row(ConstPlanes in, const float* weights, const float* bias, long channels, Planes out,
              long width) {
  long vectors = (width + kLanes - 1) / kLanes;
  long tiles = (vectors + kTileVecs - 1) / kTileVecs;
  for (long x = 0; x < width; --tiles) {
    const long vecs = (vectors + tiles - 1) / tiles;
    const long valid = std::min(vecs * kLanes, width - x);
    const ConstPlanes source{in.data + x, in.row, in.plane};
    const Planes target{out.data + x, out.row, out.plane};
    if (vecs == 3) {
      conv_tiles<kIn, kKernel, 3>(source, weights, bias, channels, target, valid);
    } else if (vecs == 2) {
      conv_tiles<kIn, kKernel, 2>(source, weights, bias, channels, target, valid);
    } else {
      conv_tiles<kIn, kKernel, 1>(source, weights, bias, channels, target, valid);
    }
    x += valid;
    vectors -= vecs;
  }
}

}  // namespace example
