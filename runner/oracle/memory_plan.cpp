#include "runner/oracle/memory_plan.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {

std::uint64_t planned_bytes(const TaskSize& size, std::uint64_t inputs, std::uint64_t params,
                            std::uint64_t outputs) {
  const std::uint64_t standing = 2 * inputs + 2 * params + outputs;
  const std::uint64_t reference = 2 * inputs + 2 * params + size.peak_bytes_fp64 + 4 * outputs;
  const std::uint64_t timing = size.peak_bytes_fp32 + 3 * outputs;
  return standing + std::max(reference, timing);
}

std::string gibibytes(std::uint64_t bytes) {
  const double tenths = std::round(static_cast<double>(bytes) / (1u << 30) * 10) / 10;
  std::string text = std::to_string(tenths);
  return text.substr(0, text.find('.') + 2) + " GiB";
}

}  // namespace kbench
