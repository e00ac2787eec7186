#include "runner/verify/acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runner/backend/compare_rules.hpp"
#include "runner/core/defence.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/likely_cause.hpp"

namespace kbench {
namespace {

constexpr double kFp32UnitRoundoff = 0x1p-24;
constexpr int kFp32Bits = 24;
// Bound for the norm of the whole tensor: single elements may be further off than their mean
// square.
constexpr double kNormUlps = 32;
constexpr double kCustomary = 1e-2;  // the tolerance elsewhere

// The tolerance that holds for all tasks alike, if there is one.
double fixed_tolerance(const AcceptanceRule& rule) {
  return stands(Defence::kEagersError) ? rule.allclose : kCustomary;
}

// True for an output that is wrong. NaN is no number above a bound, for code that compares in that
// way.
bool is_wrong(const CompareResult& result) {
  if (!stands(Defence::kOutputsCompared)) return false;
  if (stands(Defence::kNotFiniteIsWrong)) return result.wrong > 0;
  return result.max_error > result.tolerance_at_max;
}

// Unit roundoff of the type, for outputs in 16 bits; else 0.
double unit_roundoff(const AcceptanceRule& rule) {
  return rule.significand_bits < kFp32Bits ? std::exp2(-rule.significand_bits) : 0;
}

// One unit in the last place of a 16-bit output, in those of float32.
double ulp_of_type(const AcceptanceRule& rule) {
  return rule.significand_bits < kFp32Bits ? std::exp2(kFp32Bits - rule.significand_bits) : 0;
}

// Least spacing: float16's numbers lie no closer than this, below its normal range neither.
double least_spacing(const AcceptanceRule& rule) {
  return rule.significand_bits == significand_bits(DType::kFloat16) ? 0x1p-24 : 0;
}

// The same for the whole tensor: a half, as 32 is of 64.
double roundoff_of_type(const AcceptanceRule& rule) { return unit_roundoff(rule) / 2; }

int coarsest_significand(const TaskSize& size) {
  int bits = kFp32Bits;
  for (const TensorSpec& output : size.outputs)
    if (is_floating(output.dtype)) bits = std::min(bits, significand_bits(output.dtype));
  return bits;
}

double relative_l2(const CompareResult& result) {
  if (result.sum_squared_reference > 0)
    return std::sqrt(result.sum_squared_error / result.sum_squared_reference);
  return result.sum_squared_error > 0 ? HUGE_VAL : 0;
}

// Factor of the bound: two runs that are both off differ by the sum.
double factor(const AcceptanceRule& rule, Against against) {
  return against == Against::kReference ? rule.c : 1 + rule.c;
}

// The part of a number that an output in 16 bits may be off by, `part` being eager's own. Where
// four times that were more than a quarter, it is a quarter, but never less than twice eager's:
// whoever rounds where eager does is off by as much as eager, and by twice that if always to the
// same side.
double allowed_part(const AcceptanceRule& rule, double part, Against against) {
  constexpr double kMost = 0.25;
  const double allowed = std::max(std::min(rule.c * part, kMost), rule.c / 2 * part);
  return against == Against::kReference ? allowed : allowed + part;
}

// The rules of outputs in 16 bits.
void add_bounds_in_half(const AcceptanceRule& rule, const EagerError& error, Against against,
                        OutputBound& bound) {
  const double c = factor(rule, against);
  if (error.scaled_error > 0 && error.rms > 0)
    bound.scaled =
        allowed_part(rule, error.scaled_error, against) + least_spacing(rule) / error.rms;
  if (against != Against::kReference) return;
  for (const double slice : error.slice_errors) bound.slices.push_back(c * slice);
  bound.slice_roundoff = unit_roundoff(rule);
}

std::string index_text(const TensorSpec& spec, std::uint64_t flat) {
  std::vector<std::uint64_t> indices(spec.shape.size());
  for (std::size_t d = spec.shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(spec.shape[d]);
    indices[d] = flat % extent;
    flat /= extent;
  }
  return fmt::format("{}[{}]", spec.name, fmt::join(indices, ", "));
}

// The number as text. A NaN has no sign here: its sign is an accident of how it came about.
std::string number_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.9g}", x); }

std::string element_message(const TensorSpec& spec, const CompareResult& result,
                            const OutputBound& bound, Whose whose) {
  const double off = std::abs(result.first_wrong_got - result.first_wrong_reference);
  std::string message =
      fmt::format("{} of {} elements of {} are wrong; the first is {}: got {}, expected {}",
                  result.wrong, spec.elements(), spec.name, index_text(spec, result.first_wrong),
                  number_text(result.first_wrong_got), number_text(result.first_wrong_reference));
  // A NaN of a submission may be that of Backend::poison; what LibTorch returns is its own.
  if (std::isnan(result.first_wrong_got) && whose == Whose::kSubmissions)
    message += "; outputs hold nan until they are written, so this element may never have been";
  if (!std::isfinite(off) || !is_floating(spec.dtype)) return message;
  const double allowed =
      allowed_error({bound.absolute, bound.ulp_factor, bound.rms, bound.relative, bound.scaled},
                    result.first_wrong_reference);
  return message + fmt::format(", off by {:.3g} where {:.3g} is allowed", off, allowed);
}

// Where the slice lies, in words.
std::string slice_text(const TensorSpec& spec, const CompareResult& result) {
  // The oracle has looked at the tensor; what it says of it is data.
  const bool has_two = spec.shape.size() > 1 && spec.shape[1] > 0;
  if (result.slice_dimension != kFirstTwoDimensions || !has_two)
    return fmt::format("index {} in dimension {}", result.slice_index, result.slice_dimension);
  const auto columns = static_cast<std::uint64_t>(spec.shape.at(1));
  return fmt::format("indices {} and {} in the first two dimensions", result.slice_index / columns,
                     result.slice_index % columns);
}

std::string slice_message(const TensorSpec& spec, const CompareResult& result) {
  const double allowed = std::abs(result.slice_error) / result.slice_share;
  if (result.slice_dimension == kWholeOutput) {
    const double rms =
        std::sqrt(result.sum_squared_reference / static_cast<double>(spec.elements()));
    return fmt::format(
        "{} as a whole is {:.3g} % too {}, where {:.3g} % is allowed: no element is off by too "
        "much, but all of them together",
        spec.name, 100 * std::abs(result.slice_error) / rms,
        result.slice_error > 0 ? "large" : "small", 100 * allowed / rms);
  }
  return fmt::format(
      "the mean of {} over all elements with {} is off by {:.3g}, where "
      "{:.3g} is allowed: no element is, but a part of the result is missing from all of them",
      spec.name, slice_text(spec, result), result.slice_error, allowed);
}

}  // namespace

AcceptanceRule for_task(AcceptanceRule rule, const TaskSize& size) {
  constexpr std::int64_t kLongestSerialSum = 16'384;
  constexpr double kMostOfIt = 960;
  constexpr double kHalfAllclose = 1e-2;
  const bool scalar = std::any_of(size.outputs.begin(), size.outputs.end(),
                                  [](const TensorSpec& output) { return output.elements() <= 1; });
  if (!scalar && size.longest_sum <= kLongestSerialSum)
    rule.g = std::min(static_cast<double>(size.longest_sum) / 8, kMostOfIt);
  rule.significand_bits = coarsest_significand(size);
  if (rule.allclose > 0 && rule.significand_bits < kFp32Bits)
    rule.allclose = std::max(rule.allclose, kHalfAllclose);
  return rule;
}

std::optional<AcceptanceRule> for_fast_math(AcceptanceRule rule, const TaskSize& size) {
  constexpr double kUlpsOfOne = 64;
  constexpr double kMostOfAll = 256;
  const bool single =
      std::all_of(size.outputs.begin(), size.outputs.end(),
                  [](const TensorSpec& output) { return output.dtype == DType::kFloat32; });
  if (!single || size.transcendental_functions == 0 || fixed_tolerance(rule) > 0)
    return std::nullopt;
  rule.f = std::min(kUlpsOfOne * size.transcendental_functions, kMostOfAll);
  return rule;
}

std::vector<OutputBound> bounds(const AcceptanceRule& rule, const std::vector<EagerError>& eager,
                                Against against) {
  std::vector<OutputBound> result;
  result.reserve(eager.size());
  for (const EagerError& error : eager) {
    if (const double tolerance = fixed_tolerance(rule); tolerance > 0) {
      result.push_back({.absolute = tolerance, .relative = tolerance});
    } else {
      result.push_back({factor(rule, against) * error.max_error + least_spacing(rule),
                        rule.k + rule.g + rule.f + ulp_of_type(rule), error.rms});
      add_bounds_in_half(rule, error, against, result.back());
    }
  }
  return result;
}

std::vector<OutputBound> unbounded(std::size_t outputs) {
  // JSON, in which the oracle is asked, has no infinity.
  return std::vector<OutputBound>(outputs,
                                  OutputBound{.absolute = std::numeric_limits<double>::max()});
}

bool is_near(const std::vector<TensorSpec>& outputs, const std::vector<EagerError>& eager,
             const std::vector<CompareResult>& compared) {
  constexpr double kBoth = 2;  // two runs that are both off differ by the sum
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const CompareResult& result = compared[o];
    if (result.wrong > 0) return false;
    if (result.max_error == 0) continue;
    const double rms =
        std::sqrt(result.sum_squared_reference /
                  static_cast<double>(std::max<std::int64_t>(1, outputs[o].elements())));
    const double scale = eager[o].rms > 0 ? rms / eager[o].rms : 0;
    // A NaN is not near.
    if (!(relative_l2(result) <= kBoth * eager[o].relative_l2)) return false;
    if (!(result.max_error <= kBoth * eager[o].max_error * scale)) return false;
  }
  return true;
}

Check judge(const AcceptanceRule& rule, const std::vector<TensorSpec>& outputs,
            const std::vector<EagerError>& eager, const std::vector<CompareResult>& compared,
            Against against, Whose whose) {
  Check check;
  check.passed = true;
  bool explained = false;  // the first wrong output
  double worst_share = -1;
  const auto allowed = bounds(rule, eager, against);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const CompareResult& result = compared[o];
    check.wrong_elements += result.wrong;
    if (is_wrong(result) && check.passed) {
      check.passed = false;
      check.message = element_message(outputs[o], result, allowed[o], whose);
    }
    const double l2 = relative_l2(result);
    const double l2_bound = factor(rule, against) * eager[o].relative_l2 +
                            (kNormUlps + rule.g + rule.f / 2) * kFp32UnitRoundoff +
                            roundoff_of_type(rule);
    const bool judged_whole = whose == Whose::kSubmissions && fixed_tolerance(rule) == 0 &&
                              stands(Defence::kWholeTensorRule) &&
                              stands(Defence::kOutputsCompared);
    if (judged_whole && l2 > l2_bound && check.passed) {
      check.passed = false;
      check.message =
          fmt::format("{} as a whole is too far off: relative L2 error {:.3g}, allowed {:.3g}",
                      outputs[o].name, l2, l2_bound);
    }
    if (judged_whole && result.slice_share > 1 && check.passed) {
      check.passed = false;
      check.message = slice_message(outputs[o], result);
    }
    if (!check.passed && !explained && whose == Whose::kSubmissions) {
      explained = true;
      if (const std::string cause = likely_cause(outputs[o], result); !cause.empty())
        check.message += "; " + cause;
    }
    double max_error = result.max_error;
    double share = result.tolerance_at_max > 0 ? max_error / result.tolerance_at_max : max_error;
    // Errors are measured where both are numbers: where one is none, no number says how far it is.
    if (result.wrong > 0 && !std::isfinite(result.first_wrong_got)) {
      max_error = std::numeric_limits<double>::quiet_NaN();
      share = HUGE_VAL;
    }
    if (share <= worst_share) continue;
    worst_share = share;
    check.max_error = max_error;
    check.tolerance = result.tolerance_at_max;
    check.eager_max_error = eager[o].max_error;
    check.relative_l2 = l2;
    check.eager_relative_l2 = eager[o].relative_l2;
  }
  return check;
}

std::vector<EagerError> worst_of(const std::vector<EagerError>& a,
                                 const std::vector<EagerError>& b) {
  if (a.empty()) return b;
  std::vector<EagerError> worst = a;
  for (std::size_t o = 0; o < worst.size(); ++o) {
    worst[o].max_error = std::max(a[o].max_error, b[o].max_error);
    worst[o].relative_l2 = std::max(a[o].relative_l2, b[o].relative_l2);
    // The unit in the last place follows the smaller scale: the stricter of the two.
    worst[o].rms = std::min(a[o].rms, b[o].rms);
    worst[o].scaled_error = std::max(a[o].scaled_error, b[o].scaled_error);
    for (std::size_t d = 0; d < std::min(a[o].slice_errors.size(), b[o].slice_errors.size()); ++d)
      worst[o].slice_errors[d] = std::max(a[o].slice_errors[d], b[o].slice_errors[d]);
  }
  return worst;
}

}  // namespace kbench
