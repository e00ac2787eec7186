#include "runner/measure/floor.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr double kTrafficShare = 0.8;
constexpr double kFlopsShare = 1.0 / 4;
constexpr double kTriangularShare = 1.0 / 4;

bool is_triangular(const TensorSpec& spec) {
  const Draw& draw = spec.draw;
  return draw.kind == Draw::Kind::kTril || draw.kind == Draw::Kind::kTriu ||
         draw.keep != Draw::Keep::kAll;
}

double traffic_bytes(const TaskSize& size) {
  double bytes = 0;
  for (const TensorSpec& output : size.outputs) bytes += static_cast<double>(output.bytes());
  const bool picks = std::any_of(size.inputs.begin(), size.inputs.end(),
                                 [](const TensorSpec& spec) { return !is_floating(spec.dtype); });
  if (picks) return bytes;
  for (const auto* specs : {&size.inputs, &size.parameters}) {
    for (const TensorSpec& spec : *specs) {
      if (spec.draw.kind != Draw::Kind::kConstant && spec.draw.kind != Draw::Kind::kData)
        bytes += static_cast<double>(spec.bytes()) * (is_triangular(spec) ? 0.5 : 1);
    }
  }
  return bytes;
}

double multiplications(const TaskSize& size) {
  if (size.flops_avoidable) return 0;
  const bool triangular = std::any_of(size.inputs.begin(), size.inputs.end(), is_triangular);
  return kFlopsShare * size.flops * (triangular ? kTriangularShare : 1);
}

}  // namespace

double floor_ns(const TaskSize& size, const DevicePeaks& peaks, std::uint64_t cache_bytes) {
  double nanoseconds = 0;
  if (peaks.copy_bytes_per_s > 0) {
    const double bytes = kTrafficShare * traffic_bytes(size) - static_cast<double>(cache_bytes);
    nanoseconds = std::max(nanoseconds, bytes / peaks.copy_bytes_per_s * 1e9);
  }
  if (peaks.matmul_flops_per_s > 0)
    nanoseconds = std::max(nanoseconds, multiplications(size) / peaks.matmul_flops_per_s * 1e9);
  return nanoseconds;
}

}  // namespace kbench
