#include "runner/oracle/memory_plan.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {

std::uint64_t planned_bytes(const TaskSize& size, std::uint64_t inputs, std::uint64_t params,
                            std::uint64_t outputs, std::uint64_t seats) {
  const std::uint64_t standing = (1 + seats) * (inputs + params) + seats * outputs;
  return standing + planned_later(size, inputs, params, outputs, seats);
}

std::uint64_t planned_later(const TaskSize& size, std::uint64_t inputs, std::uint64_t params,
                            std::uint64_t outputs, std::uint64_t seats) {
  const std::uint64_t snapshot = seats * outputs;
  const std::uint64_t reference = 2 * inputs + 2 * params + size.peak_bytes_fp64;
  // The reference stays, in double; beside it the perturbed inputs and the bits they are made
  // of.
  const std::uint64_t perturbed = 2 * outputs + 2 * inputs + size.peak_bytes_fp32;
  const std::uint64_t timing = outputs + size.peak_bytes_fp32;
  return snapshot + std::max({reference, perturbed, timing});
}

std::string gibibytes(std::uint64_t bytes) {
  const double tenths = std::round(static_cast<double>(bytes) / (1u << 30) * 10) / 10;
  const std::string text = std::to_string(tenths);
  return text.substr(0, text.find('.') + 2) + " GiB";
}

}  // namespace kbench
