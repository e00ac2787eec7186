// Single-precision matrix product on CUDA cores, C[m, n] = A[m, k] * B[k, n] with a fused epilogue.
// A block computes a kM x kN tile, each thread 8 x 8 of it; tiles of A and B pass through registers
// into two shared buffers, so that loading one overlaps multiplying the other. Where B comes from
// is a template parameter (a matrix of either order, or windows of a convolution, see conv.cuh),
// and so is what happens to the sums. All arithmetic is fp32. n must be a multiple of 4.
#pragma once

#include <cuda_runtime.h>

namespace example {

inline constexpr int kTileK = 16;

// A tile of kExtent rows of a matrix stored [extent, k], transposed on its way to shared memory.
// kVector: k is a multiple of 4, and rows are read as float4.
template <int kExtent, int kThreads, bool kVector = true>
class KMajorTile {
 public:
  struct Source {
    const float* data;
    int extent;
    int k;
  };

  __device__ KMajorTile(const Source& source, int first) : source_(source), first_(first) {}

  __device__ void fetch(int k0) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int row = first_ + (threadIdx.x + i * kThreads) / 4;
      const int k = k0 + (threadIdx.x + i * kThreads) % 4 * 4;
      values_[i] = row < source_.extent ? load(row, k) : make_float4(0, 0, 0, 0);
    }
  }

  __device__ void commit(float (*shared)[kExtent + 4]) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int row = (threadIdx.x + i * kThreads) / 4;
      const int k = (threadIdx.x + i * kThreads) % 4 * 4;
      shared[k][row] = values_[i].x;
      shared[k + 1][row] = values_[i].y;
      shared[k + 2][row] = values_[i].z;
      shared[k + 3][row] = values_[i].w;
    }
  }

 private:
  static constexpr int kLoads = kExtent * kTileK / 4 / kThreads;
  static_assert(kLoads * 4 * kThreads == kExtent * kTileK);

  __device__ float4 load(int row, int k) const {
    const float* values = source_.data + static_cast<size_t>(row) * source_.k + k;
    if constexpr (kVector) {
      return k < source_.k ? *reinterpret_cast<const float4*>(values) : make_float4(0, 0, 0, 0);
    } else {
      return make_float4(k < source_.k ? values[0] : 0, k + 1 < source_.k ? values[1] : 0,
                         k + 2 < source_.k ? values[2] : 0, k + 3 < source_.k ? values[3] : 0);
    }
  }

  Source source_;
  int first_;
  float4 values_[kLoads];
};

// A tile of kExtent columns of a matrix stored [k, extent]; extent is a multiple of 4.
template <int kExtent, int kThreads>
class RowMajorTile {
 public:
  struct Source {
    const float* data;
    int extent;
    int k;
  };

  __device__ RowMajorTile(const Source& source, int first) : source_(source), first_(first) {}

  __device__ void fetch(int k0) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int k = k0 + (threadIdx.x + i * kThreads) / kQuads;
      const int column = first_ + (threadIdx.x + i * kThreads) % kQuads * 4;
      const bool inside = k < source_.k && column < source_.extent;
      const float* values = source_.data + static_cast<size_t>(k) * source_.extent + column;
      values_[i] = inside ? *reinterpret_cast<const float4*>(values) : make_float4(0, 0, 0, 0);
    }
  }

  __device__ void commit(float (*shared)[kExtent + 4]) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int k = (threadIdx.x + i * kThreads) / kQuads;
      const int column = (threadIdx.x + i * kThreads) % kQuads * 4;
      *reinterpret_cast<float4*>(&shared[k][column]) = values_[i];
    }
  }

 private:
  static constexpr int kQuads = kExtent / 4;
  static constexpr int kLoads = kQuads * kTileK / kThreads;
  static_assert(kLoads * kThreads == kQuads * kTileK);

  Source source_;
  int first_;
  float4 values_[kLoads];
};

// sums += the product of one pair of shared tiles. A thread holds rows row..row+3 and kM/2 further
// on, columns likewise, so that its shared loads are 16 bytes wide and free of conflicts.
template <int kM, int kN>
__device__ void multiply_tiles(const float (*a)[kM + 4], const float (*b)[kN + 4], int row,
                               int column, float (&sums)[8][8]) {
#pragma unroll
  for (int k = 0; k < kTileK; ++k) {
    float rows[8];
    float columns[8];
    *reinterpret_cast<float4*>(rows) = *reinterpret_cast<const float4*>(&a[k][row]);
    *reinterpret_cast<float4*>(rows + 4) = *reinterpret_cast<const float4*>(&a[k][kM / 2 + row]);
    *reinterpret_cast<float4*>(columns) = *reinterpret_cast<const float4*>(&b[k][column]);
    *reinterpret_cast<float4*>(columns + 4) =
        *reinterpret_cast<const float4*>(&b[k][kN / 2 + column]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i][j] += rows[i] * columns[j];
    }
  }
}

template <int kM, int kN>
inline constexpr int kTileThreads = kM * kN / 64;

// `epilogue(row, column, float4 values, bool inside)` is called by all threads of a warp together,
// so it may shuffle; `inside` says whether the four values exist. Sixteen neighbouring threads hold
// the same row and 64 neighbouring columns.
template <int kM, int kN, class TileA, class TileB, class Epilogue>
__global__ __launch_bounds__(kTileThreads<kM, kN>, kM == 128 ? 2 : 3) void sgemm_kernel(
    typename TileA::Source a, typename TileB::Source b, Epilogue epilogue, int m, int n, int k) {
  static_assert(kN == 128, "sixteen threads to a row");
  __shared__ __align__(16) float shared_a[2][kTileK][kM + 4];
  __shared__ __align__(16) float shared_b[2][kTileK][kN + 4];
  const int first_row = blockIdx.y * kM;
  const int first_column = blockIdx.x * kN;
  const int row = threadIdx.x / 16 * 4;
  const int column = threadIdx.x % 16 * 4;
  TileA tile_a(a, first_row);
  TileB tile_b(b, first_column);
  float sums[8][8] = {};

  tile_a.fetch(0);
  tile_b.fetch(0);
  tile_a.commit(shared_a[0]);
  tile_b.commit(shared_b[0]);
  __syncthreads();
  const int steps = (k + kTileK - 1) / kTileK;
  for (int step = 0; step < steps; ++step) {
    const int current = step % 2;
    if (step + 1 < steps) {
      tile_a.fetch((step + 1) * kTileK);
      tile_b.fetch((step + 1) * kTileK);
    }
    multiply_tiles<kM, kN>(shared_a[current], shared_b[current], row, column, sums);
    // The other buffer was last read before the previous barrier.
    if (step + 1 < steps) {
      tile_a.commit(shared_a[1 - current]);
      tile_b.commit(shared_b[1 - current]);
      __syncthreads();
    }
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int r = first_row + i / 4 * (kM / 2) + row + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int c = first_column + half * (kN / 2) + column;
      const float* values = &sums[i][half * 4];
      epilogue(r, c, make_float4(values[0], values[1], values[2], values[3]), r < m && c < n);
    }
  }
}

template <int kM, int kN, class TileA, class TileB, class Epilogue>
cudaError_t launch_sgemm(typename TileA::Source a, typename TileB::Source b,
                         const Epilogue& epilogue, int m, int n, int k, void* stream) {
  const dim3 grid((n + kN - 1) / kN, (m + kM - 1) / kM);
  sgemm_kernel<kM, kN, TileA, TileB, Epilogue>
      <<<grid, kTileThreads<kM, kN>, 0, static_cast<cudaStream_t>(stream)>>>(a, b, epilogue, m, n,
                                                                             k);
  return cudaGetLastError();
}

// y = epilogue(x * weight^T) with x [m, k] and weight [n, k]; k and n are multiples of 4.
template <class Epilogue>
cudaError_t launch_linear(const float* x, const float* weight, const Epilogue& epilogue, int m,
                          int n, int k, void* stream) {
  using Tile = KMajorTile<128, kTileThreads<128, 128>>;
  return launch_sgemm<128, 128, Tile, Tile>({x, m, k}, {weight, n, k}, epilogue, m, n, k, stream);
}

__device__ inline float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ inline float4 load4(const float* values) {
  return *reinterpret_cast<const float4*>(values);
}

__device__ inline void store4(float* destination, float4 values) {
  *reinterpret_cast<float4*>(destination) = values;
}

// Epilogues: y[m, n] = sums, and y[m, n] = sums + bias[n].
struct StoreRows {
  float* y;
  int n;

  __device__ void operator()(int row, int column, float4 sums, bool inside) const {
    if (inside) store4(y + static_cast<size_t>(row) * n + column, sums);
  }
};

struct StoreRowsWithBias {
  float* y;
  const float* bias;
  int n;

  __device__ void operator()(int row, int column, float4 sums, bool inside) const {
    if (inside) store4(y + static_cast<size_t>(row) * n + column, add(sums, load4(bias + column)));
  }
};

}  // namespace example
