#include "reports/rank/best_of.hpp"

#include <boost/math/distributions/normal.hpp>

#include "runner/analysis/speedup.hpp"

namespace kbench {

double widening(std::size_t best_of) {
  constexpr double kTail = 0.025;  // share beyond either end of an interval
  if (best_of < 2) return 0;
  const double tail = kTail / static_cast<double>(best_of);
  return boost::math::quantile(complement(boost::math::normal(), tail)) - kNormal95;
}

std::vector<double> widenings(std::size_t most) {
  std::vector<double> all;
  for (std::size_t count = 0; count <= most; ++count) all.push_back(widening(count));
  return all;
}

}  // namespace kbench
