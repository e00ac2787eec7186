#include "runner/measure/task_limit.hpp"

#include <algorithm>

namespace kbench {
namespace {

struct Rates {
  double read_bytes = 0;  // a second, as all of these
  double written_bytes = 0;
  double products = 0;
  double tf32_products = 0;  // products that PyTorch lets run in TF32 by default
  std::string source;
  bool calibrated = false;
};

double peak_of(const DeviceLimits& limits, const std::string& precision) {
  const auto found = limits.products.find(precision);
  return found == limits.products.end() ? 0 : found->second.value;
}

Rates rates_of(const std::string& precision, const DevicePeaks& measured,
               const std::optional<DeviceLimits>& calibrated) {
  const Rates beside{measured.copy_bytes_per_s,   measured.copy_bytes_per_s,
                     measured.matmul_flops_per_s, measured.matmul_flops_per_s,
                     "measured beside it",        false};
  if (!calibrated || !(calibrated->reading() > 0) || !(calibrated->writing() > 0)) return beside;
  const bool by_default = precision == "torch-default";
  const double products = peak_of(*calibrated, by_default ? "fp32" : precision);
  if (!(products > 0)) return beside;
  // A device without TF32 computes what may be TF32 in float32.
  const double tf32 = by_default ? std::max(products, peak_of(*calibrated, "tf32")) : products;
  return {calibrated->reading(),
          calibrated->writing(),
          products,
          tf32,
          "calibrated " + calibrated->measured_at,
          true};
}

constexpr double kTrafficShare = 0.8;
constexpr double kProductsShare = 1.0 / 4;
// Share of the sixth of the products that triangles on both sides leave.
constexpr double kTriangularShare = 3.0 / 8;

}  // namespace

TaskLimit limit_of(const Work& work, const std::string& precision, const DevicePeaks& measured,
                   const std::optional<DeviceLimits>& calibrated, std::uint64_t cache_bytes) {
  if (!work.is_counted()) return {.basis = work.uncounted};
  const Rates rates = rates_of(precision, measured, calibrated);
  if (!(rates.read_bytes > 0) || !(rates.products > 0))
    return {.basis = "the device's peaks are not known"};
  const double kept = std::min(work.written_bytes, static_cast<double>(cache_bytes));
  const double bytes_ns =
      (work.read_bytes / rates.read_bytes + (work.written_bytes - kept) / rates.written_bytes) *
      1e9;
  const double products_ns = ((work.least_products - work.least_tf32_products) / rates.products +
                              work.least_tf32_products / rates.tf32_products) *
                             1e9;
  TaskLimit limit;
  limit.ns = std::max(bytes_ns, products_ns);
  limit.bytes_ns = bytes_ns;
  limit.products_ns = products_ns;
  // How many of its bytes are read is not counted.
  const double unfused_rate = std::max(rates.read_bytes, rates.written_bytes);
  limit.unfused_ns =
      std::max({*limit.ns, (work.unfused_bytes - kept) / unfused_rate * 1e9, products_ns});
  limit.read_bytes_per_s = rates.read_bytes;
  limit.written_bytes_per_s = rates.written_bytes;
  limit.calibrated = rates.calibrated;
  limit.basis = (bytes_ns >= products_ns ? "bytes, " : "products, ") + rates.source;
  return limit;
}

namespace {

// Algebra that leaves out a product leaves out the product's parameters too: of a weight whose
// product is only summed, kbench_prepare keeps the sums of columns.
double surely_moved_bytes(const Work& work) {
  const bool is_avoidable = work.products > 0 && work.needed_products <= 0;
  return work.least_bytes() - (is_avoidable ? work.parameter_bytes : 0);
}

}  // namespace

double floor_ns(const Work& work, const DevicePeaks& peaks, std::uint64_t cache_bytes) {
  double nanoseconds = 0;
  if (peaks.copy_bytes_per_s > 0) {
    const double bytes =
        kTrafficShare * surely_moved_bytes(work) - static_cast<double>(cache_bytes);
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
