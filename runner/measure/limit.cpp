#include "runner/measure/limit.hpp"

#include <algorithm>

namespace kbench {
namespace {

struct Rates {
  double bytes = 0;  // a second
  double products = 0;
  std::string source;
};

// What PyTorch does by default may be TF32 in some operators.
double products_of(const DeviceLimits& limits, const std::string& precision) {
  const auto of = [&](const std::string& name) {
    const auto found = limits.products.find(name);
    return found == limits.products.end() ? 0 : found->second.value;
  };
  return precision == "torch-default" ? std::max(of("fp32"), of("tf32")) : of(precision);
}

Rates rates_of(const std::string& precision, const DevicePeaks& measured,
               const std::optional<DeviceLimits>& calibrated) {
  Rates rates{measured.copy_bytes_per_s, measured.matmul_flops_per_s, "measured beside it"};
  if (!calibrated || !(calibrated->bandwidth() > 0)) return rates;
  const double products = products_of(*calibrated, precision);
  if (!(products > 0)) return rates;
  return {calibrated->bandwidth(), products, "calibrated " + calibrated->measured_at};
}

}  // namespace

TaskLimit limit_of(const Work& work, const std::string& precision, const DevicePeaks& measured,
                   const std::optional<DeviceLimits>& calibrated, std::uint64_t cache_bytes) {
  if (!work.is_counted()) return {.basis = work.uncounted};
  const Rates rates = rates_of(precision, measured, calibrated);
  if (!(rates.bytes > 0) || !(rates.products > 0))
    return {.basis = "the device's peaks are not known"};
  const double kept = std::min(work.written_bytes, static_cast<double>(cache_bytes));
  const double bytes_ns = (work.least_bytes() - kept) / rates.bytes * 1e9;
  const double products_ns = work.least_products / rates.products * 1e9;
  TaskLimit limit;
  limit.ns = std::max(bytes_ns, products_ns);
  limit.unfused_ns =
      std::max({*limit.ns, (work.unfused_bytes - kept) / rates.bytes * 1e9, products_ns});
  limit.basis = (bytes_ns >= products_ns ? "bytes, " : "products, ") + rates.source;
  return limit;
}

}  // namespace kbench
