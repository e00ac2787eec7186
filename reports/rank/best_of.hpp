// Correction for choosing the best of several measurements, which prefers a lucky one: among 128
// equal kernels as fast as eager, one is surely faster in most draws. The low end of the chosen
// one's interval is therefore taken as much lower as makes it hold for all of them together
// (Bonferroni; Dunn, "Multiple Comparisons Among Means", 1961). A function of what is stored:
// nothing has to be measured again.
#pragma once

#include <cstddef>
#include <vector>

namespace kbench {

// Standard deviations by which the low end is taken lower for the best of so many; 0 for one.
[[nodiscard]] double widening(std::size_t best_of);

// The widenings for 0, 1, 2, ... up to so many: for the page's own scores.
[[nodiscard]] std::vector<double> widenings(std::size_t most);

}  // namespace kbench
