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

// c = a b (+ what is there). The sum over k is cut into tiles; each tile is summed by itself from
// its far end, and the tiles one after another.
template <long kTile>
void tiled(const Matrix& a, const Matrix& b, float* c, long m, long n, long k) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < m; ++i) {
    std::vector<float> tile(static_cast<std::size_t>(n));
    float* out = c + i * n;
    std::fill(out, out + n, 0.0f);
    for (long begin = 0; begin < k; begin += kTile) {
      std::fill(tile.begin(), tile.end(), 0.0f);
      for (long l = std::min(k, begin + kTile) - 1; l >= begin; --l) {
        const float factor = a.at(i, l);
        const float* row = b.data + l * b.row;
        if (b.column == 1)
          for (long j = 0; j < n; ++j) tile[static_cast<std::size_t>(j)] += factor * row[j];
        else
          for (long j = 0; j < n; ++j)
            tile[static_cast<std::size_t>(j)] += factor * row[j * b.column];
      }
      for (long j = 0; j < n; ++j) out[j] += tile[static_cast<std::size_t>(j)];
    }
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
