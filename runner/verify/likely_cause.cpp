#include "runner/verify/likely_cause.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

struct Distance {
  double relative = 0;  // L2 error over the L2 norm of the reference
  double evenness = 0;  // the largest error over the root mean square of all
  double wrong_share = 0;
};

Distance distance_of(const TensorSpec& output, const CompareResult& result) {
  const auto elements = static_cast<double>(output.elements());
  const double mean_square = result.sum_squared_error / elements;
  const double spread = std::sqrt(mean_square);
  return {std::sqrt(result.sum_squared_error / result.sum_squared_reference),
          result.max_error / spread, static_cast<double>(result.wrong) / elements};
}

// True where every element may be r times the right one: then the whole is |r - 1| off. Zeros are
// off by the reference itself, which no rounding blurs: a race that leaves most of an output zero
// came within a hundredth of that.
bool is_multiple(double ratio, const Distance& distance) {
  constexpr double kNear = 0.01;
  constexpr double kExact = 1e-4;
  const double expected = std::abs(ratio - 1);
  const double near = std::abs(ratio) > 0 ? kNear : kExact;
  return std::isfinite(ratio) && expected > kNear &&
         std::abs(distance.relative - expected) < near * expected;
}

// Rounding to 10 bits leaves 2^-11 / sqrt(3) or 2.8e-4 of each value on average, to 7 bits eight
// times that; sums of products a little more or less. Such errors are everywhere.
// Nothing is as far off as the type that the output itself has.
std::string rounded_words(DType dtype, const Distance& distance) {
  constexpr double kLeast = 0x1p-14;
  constexpr double kTenBits = 0x1p-10;
  constexpr double kSevenBits = 0x1p-7;
  constexpr double kThreeBits = 0x1p-3;
  constexpr double kEven = 64;
  const int bits = significand_bits(dtype);
  const bool half = bits < 24;
  const double least = half ? std::exp2(1 - bits) : kLeast;
  const double most = half ? kThreeBits : kSevenBits;
  if (distance.relative < least || distance.relative > most || distance.evenness > kEven) return "";
  const char* type = distance.relative < kTenBits     ? "float16 or TF32"
                     : distance.relative < kSevenBits ? "bfloat16"
                                                      : "a type of 8 bits";
  return fmt::format(
      "it is as far off as {} is, or as a sum from which a race or a bound drops a few terms",
      type);
}

// Two independent values of one distribution around zero differ by sqrt(2) of their size. If that
// distribution is normal or has lighter tails, none of a billion differs by seven times as much as
// all do, and what does is another function. Values with heavier tails may do so in another order:
// nothing is said of them, since a comparison does not keep the reference's maximum.
bool is_unrelated(const Distance& distance) {
  constexpr double kEven = 7;
  return distance.relative > 1.25 && distance.relative < 1.6 && distance.wrong_share > 0.9 &&
         distance.evenness < kEven;
}

}  // namespace

std::string likely_cause(const TensorSpec& output, const CompareResult& result) {
  if (!is_floating(output.dtype) || result.sum_squared_error <= 0 ||
      result.sum_squared_reference <= 0 || !std::isfinite(result.first_wrong_got))
    return "";
  const Distance distance = distance_of(output, result);
  const double ratio = result.first_wrong_got / result.first_wrong_reference;
  const bool multiple = result.wrong > 0 && is_multiple(ratio, distance);
  if (multiple && std::abs(result.first_wrong_got) <= 0) return "all of it is zero";
  if (multiple && std::abs(ratio + 1) < 0.01) return "all of it has the other sign";
  if (multiple) return fmt::format("all of it is about {:.3g} times what it should be", ratio);
  if (is_unrelated(distance))
    return "it looks unrelated to what is expected: look for elements in another order, the result "
           "of an earlier call, or parameters that were packed before kbench_prepare got them";
  // Rounding makes no zero of a value that is far from it.
  if (std::abs(result.first_wrong_got) <= 0) return "";
  return rounded_words(output.dtype, distance);
}

}  // namespace kbench
