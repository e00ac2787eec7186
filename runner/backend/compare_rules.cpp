#include "runner/backend/compare_rules.hpp"

#include <cmath>

#include <fmt/format.h>

namespace kbench {

Result<CompareKind> classify(const CompareRequest& request) {
  const DType got = request.got_dtype;
  const DType reference = request.reference_dtype;
  const bool floating = is_floating(got);
  const bool accepted =
      got == reference ||
      (floating && (reference == DType::kFloat64 || reference == DType::kFloat32));
  if (!accepted) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("cannot compare {} with {}", to_string(got), to_string(reference)),
                 "the reference must have the output's own dtype, or float32 or float64"};
  }
  const bool numbers = !std::isnan(request.absolute_bound) && request.absolute_bound >= 0 &&
                       std::isfinite(request.ulp_factor) && request.ulp_factor >= 0 &&
                       std::isfinite(request.rms) && request.rms >= 0 &&
                       std::isfinite(request.relative_bound) && request.relative_bound >= 0 &&
                       std::isfinite(request.scaled_bound) && request.scaled_bound >= 0;
  if (!numbers) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("cannot compare within {} + {} ulp at {}", request.absolute_bound,
                             request.ulp_factor, request.rms),
                 ""};
  }
  return floating ? CompareKind::kFloating : CompareKind::kExact;
}

}  // namespace kbench
