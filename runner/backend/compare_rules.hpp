// The acceptance rule for one element, shared by the comparison kernels of every device. See
// CompareRequest for its words and shared definitions of what is finite, wrong, and counted.
#pragma once

#include <cstdint>

#include "runner/backend/backend.hpp"
#include "runner/backend/portable.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct ErrorBound {
  double absolute = 0;
  double ulp_factor = 0;
  double rms = 0;
  double relative = 0;
  double scaled = 0;
};

// The largest power of two up to x, for x in float32's normal range; its ends beyond. Masked before
// it is clamped: the other order tempts the compiler into branches, and nothing is vectorised.
KB_HD double power_of_two_below(double x) {
  const double power = portable::double_of(portable::bits_of(x) & 0x7FF0000000000000u);
  const double raised = power > 0x1p-126 ? power : 0x1p-126;
  return raised < 0x1p127 ? raised : 0x1p127;
}

// Spacing of float32 numbers at x: 2^-149 at and near zero, 2^104 from 2^127 on.
KB_HD double ulp32(double x) { return power_of_two_below(x) * 0x1p-23; }

// The error that a bound allows. With scale = max (|reference|, rms): absolute, or scaled * scale
// where that is given and less, + ulp_factor * ulp32(scale) + relative * |reference|.
KB_HD double allowed_error(const ErrorBound& bound, double reference) {
  const double magnitude = portable::abs(reference);
  const double scale = magnitude > bound.rms ? magnitude : bound.rms;
  const double units = bound.ulp_factor * 0x1p-23 * power_of_two_below(scale);
#if defined(__CUDA_ARCH__)
  const double part = __dmul_rn(bound.scaled, scale);
  const double most = bound.scaled > 0 && part < bound.absolute ? part : bound.absolute;
  return __dadd_rn(__dadd_rn(most, units), __dmul_rn(bound.relative, magnitude));
#else
  const double part = bound.scaled * scale;
  const double most = bound.scaled > 0 && part < bound.absolute ? part : bound.absolute;
  return most + units + bound.relative * magnitude;
#endif
}

KB_HD bool is_finite(double x) { return portable::abs(x) <= 0x1.fffffffffffffp1023; }

// One compared element. `error` is meaningful, and counted, where both values are finite.
struct ElementError {
  double error;
  bool finite;
  bool wrong;
};

// Without branches, so that it vectorises.
// NOLINTBEGIN(readability-implicit-bool-conversion, clang-diagnostic-bitwise-instead-of-logical)
KB_HD ElementError judge(const ErrorBound& bound, double got, double reference) {
  const double error = portable::abs(got - reference);
  const bool finite = is_finite(got) & is_finite(reference);
  const bool inside = error <= allowed_error(bound, reference);
  const bool same = (got == reference) | ((got != got) & (reference != reference));
  return {error, finite, !((finite & inside) | (!finite & same))};
}
// NOLINTEND(readability-implicit-bool-conversion, clang-diagnostic-bitwise-instead-of-logical)

// How a request is carried out.
enum class CompareKind { kFloating, kExact };

// Errors: kBadInput for dtypes that cannot be compared or a bound that is not a number. Floating
// values of any dtype compare with float64, float32 or their own dtype; all others with their own.
[[nodiscard]] Result<CompareKind> classify(const CompareRequest& request);

}  // namespace kbench
