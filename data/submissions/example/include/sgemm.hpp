// Single-precision matrix product on the CPU, C = A * B with an epilogue, after Goto and van de
// Geijn
// ("Anatomy of High-Performance Matrix Multiplication", 2008): B is packed once into panels of
// kTileColumns columns, A block by block into panels of kTileRows rows, and a register tile runs
// over both. All scratch memory is the caller's. Used by the linear layers, attention and the GRU.
#pragma once

#include <omp.h>

#include <algorithm>

#include "microkernel.hpp"

namespace example {

inline constexpr long kInnerBlock = 384;           // of K: a B panel nearly fits level 1
inline constexpr long kRowBlock = 12 * kTileRows;  // of M: an A block fits level 2
inline constexpr long kColumnBlock = 1152;         // of N: a C block fits level 2

constexpr long round_up(long value, long multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Floats needed for a packed B of k rows and n columns, and for one thread's block of A.
constexpr long packed_elements(long k, long n) { return k * round_up(n, kTileColumns); }
inline constexpr long kScratchElements = kRowBlock * kInnerBlock;

// B(k, n) = data[k * row_stride + n * column_stride]; one of the strides is 1.
struct MatrixView {
  const float* data;
  long row_stride;
  long column_stride;
};

// destination[i * destination_stride + j] = source[j * source_stride + i] for i, j < 8.
inline void transpose_8x8(const float* source, long source_stride, float* destination,
                          long destination_stride) {
  typedef float Row __attribute__((vector_size(32)));
  typedef std::int32_t Order __attribute__((vector_size(32)));
  constexpr Order kLow2 = {0, 8, 1, 9, 4, 12, 5, 13};
  constexpr Order kHigh2 = {2, 10, 3, 11, 6, 14, 7, 15};
  constexpr Order kLow4 = {0, 1, 8, 9, 4, 5, 12, 13};
  constexpr Order kHigh4 = {2, 3, 10, 11, 6, 7, 14, 15};
  constexpr Order kLow8 = {0, 1, 2, 3, 8, 9, 10, 11};
  constexpr Order kHigh8 = {4, 5, 6, 7, 12, 13, 14, 15};
  Row in[8];
  Row mid[8];
  for (int j = 0; j < 8; ++j) std::memcpy(&in[j], source + j * source_stride, sizeof(Row));
  for (int j = 0; j < 8; j += 2) {
    mid[j] = __builtin_shuffle(in[j], in[j + 1], kLow2);
    mid[j + 1] = __builtin_shuffle(in[j], in[j + 1], kHigh2);
  }
  for (int j = 0; j < 8; j += 4) {
    for (int h = 0; h < 2; ++h) {
      in[j + 2 * h] = __builtin_shuffle(mid[j + h], mid[j + h + 2], kLow4);
      in[j + 2 * h + 1] = __builtin_shuffle(mid[j + h], mid[j + h + 2], kHigh4);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const Row low = __builtin_shuffle(in[i], in[i + 4], kLow8);
    const Row high = __builtin_shuffle(in[i], in[i + 4], kHigh8);
    std::memcpy(destination + i * destination_stride, &low, sizeof(Row));
    std::memcpy(destination + (i + 4) * destination_stride, &high, sizeof(Row));
  }
}

// destination[i * destination_stride + j] = source[j * source_stride + i] for i < depth, j < width.
inline void transpose(const float* source, long source_stride, long depth, long width,
                      float* destination, long destination_stride) {
  const long whole_width = width / 8 * 8;
  const long whole_depth = depth / 8 * 8;
  for (long j = 0; j < whole_width; j += 8) {
    for (long i = 0; i < whole_depth; i += 8) {
      transpose_8x8(source + j * source_stride + i, source_stride,
                    destination + i * destination_stride + j, destination_stride);
    }
    for (long i = whole_depth; i < depth; ++i) {
      for (long jj = j; jj < j + 8; ++jj) {
        destination[i * destination_stride + jj] = source[jj * source_stride + i];
      }
    }
  }
  for (long j = whole_width; j < width; ++j) {
    for (long i = 0; i < depth; ++i) {
      destination[i * destination_stride + j] = source[j * source_stride + i];
    }
  }
}

// Packs rows [k0, k0 + depth) of one panel, columns [n0, n0 + kTileColumns), zeros beyond
// `columns`.
inline void pack_panel(MatrixView b, long k0, long depth, long n0, long columns, float* packed) {
  const long valid = std::min(kTileColumns, columns - n0);
  const float* source = b.data + k0 * b.row_stride + n0 * b.column_stride;
  if (b.column_stride == 1) {
    for (long k = 0; k < depth; ++k) {
      for (long n = 0; n < valid; ++n) packed[k * kTileColumns + n] = source[k * b.row_stride + n];
    }
  } else {
    transpose(source, b.column_stride, depth, valid, packed, kTileColumns);
  }
  for (long n = valid; n < kTileColumns; ++n) {
    for (long k = 0; k < depth; ++k) packed[k * kTileColumns + n] = 0;
  }
}

// A packed B of k rows and n columns: blocks of kInnerBlock rows, in them panels, in them rows.
struct PackedMatrix {
  const float* data;
  long k;
  long n;

  // Where the panel of column n0 begins in the block of row k0.
  [[nodiscard]] const float* panel(long k0, long n0) const {
    return data + k0 * round_up(n, kTileColumns) + n0 * std::min(kInnerBlock, k - k0);
  }
};

// Packs all columns of one panel, on the calling thread.
inline void pack_column_panel(MatrixView b, long k, long n, long n0, float* packed) {
  for (long k0 = 0; k0 < k; k0 += kInnerBlock) {
    const long depth = std::min(kInnerBlock, k - k0);
    pack_panel(b, k0, depth, n0, n, packed + k0 * round_up(n, kTileColumns) + n0 * depth);
  }
}

// Packs all of B (k x n) into packed_elements(k, n) floats, on `threads` threads.
inline void pack_b(MatrixView b, long k, long n, float* packed, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long n0 = 0; n0 < n; n0 += kTileColumns) pack_column_panel(b, k, n, n0, packed);
}

// Packs rows [0, rows) of a block of A, `depth` deep, into panels of kTileRows rows.
inline void pack_a(const float* a, long stride, long rows, long depth, float* packed) {
  for (long r0 = 0; r0 < rows; r0 += kTileRows, packed += kTileRows * depth) {
    const long valid = std::min(kTileRows, rows - r0);
    transpose(a + r0 * stride, stride, depth, valid, packed, kTileRows);
    for (long r = valid; r < kTileRows; ++r) {
      for (long k = 0; k < depth; ++k) packed[k * kTileRows + r] = 0;
    }
  }
}

// One register tile: C = or += A panel * B panel; only rows x columns of it exist.
inline void multiply_tile(const float* a, const float* b, long depth, float* c, long stride,
                          long rows, long columns, bool accumulate) {
  Vec sums[kTileRows][kTileVecs] = {};
  for (long k = 0; k < depth; ++k) multiply_step(a + k * kTileRows, 1, b + k * kTileColumns, sums);
  if (rows == kTileRows && columns == kTileColumns) {
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kTileVecs; ++v) {
        float* destination = c + r * stride + v * kLanes;
        store(destination, accumulate ? sums[r][v] + load(destination) : sums[r][v]);
      }
    }
    return;
  }
  alignas(64) float edge[kTileRows][kTileColumns];
  std::memcpy(edge, sums, sizeof edge);
  for (long r = 0; r < rows; ++r) {
    for (long n = 0; n < columns; ++n) {
      c[r * stride + n] = accumulate ? c[r * stride + n] + edge[r][n] : edge[r][n];
    }
  }
}

struct NoEpilogue {
  void operator()(float*, long, long, long) const {}
};

// Rows and columns of C that one thread computes.
struct Range {
  long begin;
  long end;
};

// C[rows, columns] = A * B on the calling thread, with the first k rows of B. `scratch` has
// kScratchElements floats. Each finished stretch of a row of C is handed to `epilogue(float*
// values, row, column, count)`; stretches begin at multiples of kColumnBlock from columns.begin,
// which is a multiple of kTileColumns.
template <class Epilogue>
void multiply(const float* a, long a_stride, long k, PackedMatrix b, float* c, long c_stride,
              Range rows, Range columns, float* scratch, const Epilogue& epilogue) {
  for (long j = columns.begin; j < columns.end; j += kColumnBlock) {
    const long width = std::min(kColumnBlock, columns.end - j);
    for (long p = 0; p < k; p += kInnerBlock) {
      const long depth = std::min(kInnerBlock, k - p);
      for (long i = rows.begin; i < rows.end; i += kRowBlock) {
        const long height = std::min(kRowBlock, rows.end - i);
        pack_a(a + i * a_stride + p, a_stride, height, depth, scratch);
        for (long jj = 0; jj < width; jj += kTileColumns) {
          const float* panel = b.panel(p, j + jj);
          for (long ii = 0; ii < height; ii += kTileRows) {
            multiply_tile(scratch + ii * depth, panel, depth, c + (i + ii) * c_stride + j + jj,
                          c_stride, std::min(kTileRows, height - ii),
                          std::min(kTileColumns, width - jj), p > 0);
          }
        }
        if (p + depth == k) {
          for (long r = i; r < i + height; ++r) epilogue(c + r * c_stride + j, r, j, width);
        }
      }
    }
  }
}

// Splits `threads` into a grid over C that keeps each thread's rectangle as square as possible.
inline int grid_rows(long m, long n, int threads) {
  int best = 1;
  double best_cost = 1e300;
  for (int r = 1; r <= threads; ++r) {
    if (threads % r != 0) continue;
    const double cost = static_cast<double>(m) / r + static_cast<double>(n) * r / threads;
    if (cost < best_cost) best = r, best_cost = cost;
  }
  return best;
}

inline Range share(long total, long unit, int index, int parts) {
  const long units = (total + unit - 1) / unit;
  return {std::min(total, units * index / parts * unit),
          std::min(total, units * (index + 1) / parts * unit)};
}

// C[m, b.n] = A[m, b.k] * B on all threads. Scratch: kScratchElements floats for each of them.
// `column_unit` is a multiple that stretches given to the epilogue begin at (and end, but for b.n).
template <class Epilogue = NoEpilogue>
void sgemm(const float* a, PackedMatrix b, float* c, long m, float* scratch, int threads,
           const Epilogue& epilogue = {}, long column_unit = kTileColumns) {
  const int parts_m = grid_rows(m, b.n, threads);
  const int parts_n = threads / parts_m;
#pragma omp parallel num_threads(threads)
  {
    // The region may get fewer threads than asked for, so each takes several rectangles.
    for (int part = omp_get_thread_num(); part < threads; part += omp_get_num_threads()) {
      const Range rows = share(m, kTileRows, part / parts_n, parts_m);
      const Range columns = share(b.n, column_unit, part % parts_n, parts_n);
      multiply(a, b.k, b.k, b, c, b.n, rows, columns,
               scratch + omp_get_thread_num() * kScratchElements, epilogue);
    }
  }
}

}  // namespace example
