// Finds the scale at which a candidate's eager time lies within a band, by trying: from the times
// seen, since small scales cost what launching costs and large ones leave the caches. Pure.
#pragma once

#include <optional>

namespace kbench {

struct TimeBand {
  double shortest_ms = 1;
  double longest_ms = 100;

  [[nodiscard]] bool holds(double ms) const { return ms >= shortest_ms && ms <= longest_ms; }
};

class SizeSearch {
 public:
  enum class Next { kFits, kTryAgain, kGiveUp };

  SizeSearch(TimeBand band, double first_scale) : band_(band), scale_(first_scale) {}

  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] int tries() const { return tries_; }

  // Takes eager's time at scale(); infinity if it does not fit into memory. After kTryAgain scale()
  // is another one, towards the geometric middle of the band.
  Next took(double ms);

 private:
  TimeBand band_;
  double scale_;
  int tries_ = 0;
  std::optional<double> too_short_;  // the largest scale that was
  std::optional<double> too_long_;   // the smallest
};

}  // namespace kbench
