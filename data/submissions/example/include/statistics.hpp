// Sums for the normalisation layers, accumulated in double precision, so that one pass over data
// that is still in the cache gives mean and variance without cancellation.
#pragma once

#include <cmath>

namespace example {

struct Sums {
  double sum = 0;
  double squares = 0;

  void add(const Sums& other) {
    sum += other.sum;
    squares += other.squares;
  }
};

inline Sums sum_row(const float* values, long count) {
  double sum = 0;
  double squares = 0;
#pragma omp simd reduction(+ : sum, squares)
  for (long i = 0; i < count; ++i) {
    const double value = values[i];
    sum += value;
    squares += value * value;
  }
  return {sum, squares};
}

// y = x * scale + shift has mean `beta` and standard deviation `gamma`.
struct Affine {
  float scale;
  float shift;
};

inline Affine normalisation(const Sums& sums, double count, double epsilon, double gamma = 1,
                            double beta = 0) {
  const double mean = sums.sum / count;
  const double variance = std::fmax(sums.squares / count - mean * mean, 0.0);
  const double scale = gamma / std::sqrt(variance + epsilon);
  return {static_cast<float>(scale), static_cast<float>(beta - mean * scale)};
}

}  // namespace example
