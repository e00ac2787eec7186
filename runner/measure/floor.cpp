#include "runner/measure/floor.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr double kTrafficShare = 0.8;
constexpr double kProductsShare = 1.0 / 4;
// Of a sixth, which is what triangles on both sides leave.
constexpr double kTriangularShare = 3.0 / 8;

}  // namespace

double floor_ns(const Work& work, const DevicePeaks& peaks, std::uint64_t cache_bytes) {
  double nanoseconds = 0;
  if (peaks.copy_bytes_per_s > 0) {
    const double bytes = kTrafficShare * work.least_bytes() - static_cast<double>(cache_bytes);
    nanoseconds = std::max(nanoseconds, bytes / peaks.copy_bytes_per_s * 1e9);
  }
  if (peaks.matmul_flops_per_s > 0) {
    const double share = work.triangular ? kTriangularShare : kProductsShare;
    nanoseconds =
        std::max(nanoseconds, share * work.needed_products / peaks.matmul_flops_per_s * 1e9);
  }
  return nanoseconds;
}

DevicePeaks highest_peaks(const DevicePeaks& measured,
                          const std::optional<DeviceLimits>& calibrated, const DeviceSheet* sheet) {
  DevicePeaks highest = measured;
  const auto raise = [](double& peak, double other) {
    if (peak > 0) peak = std::max(peak, other);  // 0: there is to be no floor
  };
  if (calibrated) {
    raise(highest.copy_bytes_per_s, calibrated->bandwidth());
    for (const auto& [precision, products] : calibrated->products)
      raise(highest.matmul_flops_per_s, products.value);
  }
  if (sheet != nullptr) {
    raise(highest.copy_bytes_per_s, sheet->bytes_per_s);
    for (const auto& [precision, products] : sheet->products)
      raise(highest.matmul_flops_per_s, products);
  }
  return highest;
}

}  // namespace kbench
