// Intervals for what is computed of a sample of tasks, by drawing tasks anew with replacement, and
// each task's own luck as well (Efron, "Better Bootstrap Confidence Intervals", 1987). The same
// seed gives the same numbers on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace kbench {

struct Bounds {
  double low = 0;
  double high = 0;
};

// One redrawing of tasks.
class Redraw {
 public:
  explicit Redraw(std::uint64_t seed);

  // Draws as many of the numbers below `count` as `drawn` has places, with replacement.
  void tasks(std::size_t count, std::span<std::uint32_t> drawn);
  // A standard normal number, of kLucks equally likely ones.
  double luck() {
    if (left_ == 0) {
      bits_ = random_();
      left_ = 64 / kLuckBits;
    }
    const double value = lucks_[bits_ & (kLucks - 1)];
    bits_ >>= kLuckBits;
    --left_;
    return value;
  }

 private:
  static constexpr int kLuckBits = 10;
  static constexpr std::size_t kLucks = std::size_t{1} << kLuckBits;

  static const std::array<double, kLucks>& lucks();

  const std::array<double, kLucks>& lucks_;
  std::mt19937_64 random_;
  std::uint64_t bits_ = 0;
  int left_ = 0;  // numbers of kLuckBits each
};

// The 95 % interval, corrected for bias and acceleration, of a statistic that is `estimate` in the
// sample, `redrawn` in redrawings of it, and `without` where one task at a time is left out.
// Requires at least one redrawing. Sorts `redrawn`.
[[nodiscard]] Bounds bca_interval(double estimate, std::vector<double>& redrawn,
                                  std::span<const double> without);

// Jeffreys' 95 % interval of a share that was 0 or 1 in `count` tasks, where redrawing sees no
// spread: one-sided at the certain end.
[[nodiscard]] Bounds jeffreys_interval(bool all, int count);

}  // namespace kbench
