// The words for what a limit is by, as a row stores them: the bound, and whose rates it takes, as
// in "bytes, calibrated 2026-01-02T03:04:05Z" or "products, measured beside it".
#pragma once

#include <cstddef>
#include <string_view>

namespace kbench {

// Where the calibrated rates stand in a basis; npos if it takes others.
[[nodiscard]] inline std::size_t calibrated_rates_in(std::string_view basis) {
  constexpr std::string_view kBetween = ", ";
  constexpr std::string_view kCalibrated = ", calibrated ";
  const std::size_t at = basis.find(kCalibrated);
  return at == basis.npos ? at : at + kBetween.size();
}

[[nodiscard]] inline bool has_calibrated_limits(std::string_view basis) {
  return calibrated_rates_in(basis) != basis.npos;
}

}  // namespace kbench
