// Products of matrices in other orders of summation than a library's: what must count as right.
#pragma once

#include <algorithm>
#include <vector>

namespace other {

// A matrix by its two strides, so that a transposed one needs no copy.
struct Matrix {
  const float* data;
  long row;
  long column;

  float at(long i, long j) const { return data[i * row + j * column]; }
};

// Adds to a row of c, of n elements, what the terms begin ≤ l < end are, summed by themselves from
// their far end.
inline void add_tile(const Matrix& a, const Matrix& b, float* out, float* __restrict tile, long n,
                     long i, long begin, long end) {
  std::fill(tile, tile + n, 0.0f);
  for (long l = end - 1; l >= begin; --l) {
    const float factor = a.at(i, l);
    const float* row = b.data + l * b.row;
    if (b.column == 1)
      for (long j = 0; j < n; ++j) tile[j] += factor * row[j];
    else
      for (long j = 0; j < n; ++j) tile[j] += factor * row[j * b.column];
  }
  for (long j = 0; j < n; ++j) out[j] += tile[j];
}

// c = a b. The sum over k is cut into tiles; each tile is summed by itself from its far end, and
// the tiles one after another. A tile of b serves some rows while it is in the cache.
template <long kTile>
void tiled(const Matrix& a, const Matrix& b, float* c, long m, long n, long k) {
  constexpr long kRows = 32;
#pragma omp parallel for schedule(static)
  for (long first = 0; first < m; first += kRows) {
    const long last = std::min(m, first + kRows);
    std::vector<float> tile(static_cast<std::size_t>(n));
    std::fill(c + first * n, c + last * n, 0.0f);
    for (long begin = 0; begin < k; begin += kTile)
      for (long i = first; i < last; ++i)
        add_tile(a, b, c + i * n, tile.data(), n, i, begin, std::min(k, begin + kTile));
  }
}

// Both operands with neighbouring k: each element is a dot product with eight running sums.
inline float dot(const float* a, const float* b, long k) {
  float sums[8] = {};
  const long whole = k / 8 * 8;
  for (long l = 0; l < whole; l += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += a[l + lane] * b[l + lane];
  float rest = 0;
  for (long l = whole; l < k; ++l) rest += a[l] * b[l];
  return ((sums[7] + sums[3]) + (sums[5] + sums[1])) + ((sums[6] + sums[2]) + (sums[4] + sums[0])) +
         rest;
}

}  // namespace other
