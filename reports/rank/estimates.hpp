// Speed-ups over eager where none of them has a verdict, as on a device that was never calibrated.
// They rank nobody, but they order agents, and tell about how fast each one is.
#pragma once

#include <map>
#include <span>
#include <string>

#include "reports/facts/model.hpp"
#include "reports/facts/variant_rule.hpp"

namespace kbench {

// An agent's sums over the tasks that it solved. More are faster first, then the larger mean.
struct Estimates {
  int faster = 0;  // tasks on which the estimate is above 1
  int timed = 0;   // tasks with a speed-up over eager
  double sum = 0;  // sum of the natural logarithms of those speed-ups

  // Geometric mean of the speed-ups; 0 without any.
  [[nodiscard]] double mean() const;
  [[nodiscard]] bool operator<(const Estimates& other) const;
};

// By agent, one for each that submitted anything. Empty where a speed-up has a verdict, and where
// none was measured. `rows` may be compared.
[[nodiscard]] std::map<std::string, Estimates> estimates_of(std::span<const ResultRow> rows,
                                                            VariantRule rule);

}  // namespace kbench
