// Mean and variance two ways: Welford's running update, and two passes over the data.
#pragma once

namespace other {

struct Moments {
  float mean = 0;
  float variance = 0;  // divided by the count
};

// Welford, "Note on a method for calculating corrected sums of squares and products", 1962.
class Welford {
 public:
  void add(float x) {
    ++count_;
    const float delta = x - mean_;
    mean_ += delta / static_cast<float>(count_);
    squares_ += delta * (x - mean_);
  }
  Moments moments() const { return {mean_, squares_ / static_cast<float>(count_)}; }

  // Joins two disjoint samples (Chan, Golub and LeVeque, 1979).
  void join(const Welford& other) {
    if (other.count_ == 0) return;
    const float all = static_cast<float>(count_ + other.count_);
    const float delta = other.mean_ - mean_;
    const float share = static_cast<float>(other.count_) / all;
    squares_ += other.squares_ + delta * delta * share * static_cast<float>(count_);
    mean_ += delta * share;
    count_ += other.count_;
  }

 private:
  long count_ = 0;
  float mean_ = 0;
  float squares_ = 0;
};

// A row at a time, rows joined: no single sum runs over everything.
inline Moments welford(const float* x, long rows, long columns) {
  Welford all;
  for (long r = 0; r < rows; ++r) {
    Welford row;
    for (long i = 0; i < columns; ++i) row.add(x[r * columns + i]);
    all.join(row);
  }
  return all.moments();
}

inline Moments two_pass(const float* x, long count) {
  float sum = 0;
  for (long i = 0; i < count; ++i) sum += x[i];
  const float mean = sum / static_cast<float>(count);
  float squares = 0;
  for (long i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, squares / static_cast<float>(count)};
}

}  // namespace other
