#include "runner/attribution/game.hpp"

namespace kbench {
namespace {

// Takes one player after the other: values with him, plus or minus values without him.
CoalitionValues transformed(CoalitionValues values, double sign) {
  for (std::size_t bit = 1; bit < values.size(); bit <<= 1)
    for (std::size_t at = 0; at < values.size(); ++at)
      if ((at & bit) != 0) values[at] += sign * values[at ^ bit];
  return values;
}

}  // namespace

CoalitionValues moebius(CoalitionValues values) { return transformed(std::move(values), -1); }

CoalitionValues values_of_moebius(CoalitionValues transform) {
  return transformed(std::move(transform), 1);
}

}  // namespace kbench
