// The comparison of the CPU backend against a plain reading of CompareRequest's rule.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "runner/backend/backend.hpp"
#include "runner/backend/compare_rules.hpp"
#include "runner/backend/float16.hpp"

namespace kbench {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double spacing_of_float(double value) {
  const auto x = static_cast<float>(std::fabs(value));
  return static_cast<double>(std::nextafter(x, std::numeric_limits<float>::infinity())) -
         static_cast<double>(x);
}

TEST(Ulp32, IsTheSpacingOfFloats) {
  for (const double x : {1.0, 1.5, 0.75, 1e10, 3e-20, 0x1p-126, 0x1.8p-126, 0x1p126}) {
    EXPECT_EQ(ulp32(x), spacing_of_float(x)) << x;
  }
  EXPECT_EQ(ulp32(0), 0x1p-149);
  EXPECT_EQ(ulp32(0x1p-140), 0x1p-149);
  EXPECT_EQ(ulp32(3.0e38), 0x1p104);
  EXPECT_EQ(ulp32(1e300), 0x1p104);
}

class Compare : public testing::TestWithParam<int> {
 protected:
  Compare() : backend_(std::move(*make_cpu_backend(GetParam()))) {}

  template <class Got, class Reference>
  CompareResult compare(const std::vector<Got>& got, DType got_dtype,
                        const std::vector<Reference>& reference, DType reference_dtype,
                        const ErrorBound& bound) {
    const Result<CompareResult> result = backend_->compare(
        {got.data(), got_dtype, reference.data(), reference_dtype, got.size(), bound.absolute,
         bound.ulp_factor, bound.rms, bound.relative, bound.scaled});
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : CompareResult{};
  }

  CompareResult compare_doubles(const std::vector<double>& got,
                                const std::vector<double>& reference, const ErrorBound& bound) {
    return compare(got, DType::kFloat64, reference, DType::kFloat64, bound);
  }

  std::unique_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Threads, Compare, testing::Values(1, 3),
                         testing::PrintToStringParamName());

TEST_P(Compare, AcceptsEqualTensors) {
  const std::vector<double> x(100'003, 1.25);
  const CompareResult result = compare_doubles(x, x, {});
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.max_error, 0);
  EXPECT_DOUBLE_EQ(result.sum_squared_reference, 100'003 * 1.25 * 1.25);
}

TEST_P(Compare, AcceptsTheEmptyTensor) {
  const CompareResult result = compare_doubles({}, {}, {});
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.max_error, 0);
}

TEST_P(Compare, FindsOneWrongElementWhereverItIs) {
  const std::vector<double> reference(150'001, 2.0);
  for (const std::size_t where : {0ul, 7ul, 1023ul, 1024ul, 65'535ul, 65'536ul, 150'000ul}) {
    std::vector<double> got = reference;
    got[where] = 3.0;
    const CompareResult result = compare_doubles(got, reference, {0.5, 4, 1});
    EXPECT_EQ(result.wrong, 1u);
    EXPECT_EQ(result.first_wrong, where);
    EXPECT_EQ(result.first_wrong_got, 3.0);
    EXPECT_EQ(result.first_wrong_reference, 2.0);
    EXPECT_EQ(result.max_error, 1.0);
    EXPECT_EQ(result.tolerance_at_max, 0.5 + 4 * 0x1p-22);
    EXPECT_EQ(result.sum_squared_error, 1.0);
  }
}

TEST_P(Compare, TakesTheBoundFromTheLargerOfReferenceAndRms) {
  const double small = 0x1p-20;
  const std::vector<double> reference{small, 8.0};
  const std::vector<double> got{small + 3 * 0x1p-23, 8.0 + 3 * 0x1p-20};
  EXPECT_EQ(compare_doubles(got, reference, {0, 3, 1.0}).wrong, 0u);
  EXPECT_EQ(compare_doubles(got, reference, {0, 2.9, 1.0}).wrong, 2u);
  EXPECT_EQ(compare_doubles(got, reference, {0, 3, 0.0}).wrong, 1u);
}

TEST_P(Compare, CountsAnErrorEqualToTheBoundAsRight) {
  EXPECT_EQ(compare_doubles({1.5}, {1.0}, {0.5, 0, 0}).wrong, 0u);
  EXPECT_EQ(compare_doubles({std::nextafter(1.5, 2)}, {1.0}, {0.5, 0, 0}).wrong, 1u);
}

TEST_P(Compare, WantsInfinityAndNanWhereTheReferenceHasThem) {
  const std::vector<double> reference{kNaN, kInf, -kInf, 1.0, 1.0, kInf, kNaN, kInf, 2.0};
  const std::vector<double> got{kNaN, kInf, -kInf, kNaN, kInf, -kInf, 1.0, 1.0, 2.0};
  const CompareResult result = compare_doubles(got, reference, {kInf, 0, 0});
  EXPECT_EQ(result.wrong, 5u);
  EXPECT_EQ(result.first_wrong, 3u);
  EXPECT_TRUE(std::isnan(result.first_wrong_got));
  EXPECT_EQ(result.max_error, 0);
  EXPECT_EQ(result.sum_squared_error, 0);
  EXPECT_EQ(result.sum_squared_reference, 4.0);
}

TEST_P(Compare, ReportsTheFirstOfEqualLargestErrors) {
  std::vector<double> reference(200'000, 1.0);
  std::vector<double> got = reference;
  reference[70'000] = 1024.0;  // has a wider bound than the later ones
  got[70'000] = 1025.0;
  got[70'001] = 2.0;
  got[150'000] = 2.0;
  const CompareResult result = compare_doubles(got, reference, {0, 1, 0});
  EXPECT_EQ(result.wrong, 3u);
  EXPECT_EQ(result.tolerance_at_max, 0x1p-13);
}

TEST_P(Compare, AgreesWithTheScalarRuleOnHardValues) {
  const std::vector<double> hard{0.0,       -0.0, 1.0,     -1.0, 1 + 0x1p-23, 0x1p-149, 0x1p-126,
                                 -0x1p-127, 3e38, -3.4e38, kInf, -kInf,       kNaN,     1e300};
  std::vector<double> got;
  std::vector<double> reference;
  for (const double g : hard) {
    for (const double r : hard) {
      got.push_back(g);
      reference.push_back(r);
    }
  }
  for (const ErrorBound& bound :
       {ErrorBound{}, ErrorBound{0, 1, 0}, ErrorBound{1e-3, 32, 1}, ErrorBound{0, 8, 1e30},
        ErrorBound{kInf, 0, 0}, ErrorBound{1e-4, 0, 0, 1e-4}, ErrorBound{1, 1, 1e-3, 0, 0.5}}) {
    const CompareResult result = compare_doubles(got, reference, bound);
    std::uint64_t wrong = 0;
    double largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const ElementError element = judge(bound, got[i], reference[i]);
      wrong += element.wrong ? 1 : 0;
      if (element.finite) largest = std::max(largest, element.error);
    }
    EXPECT_EQ(result.wrong, wrong);
    EXPECT_EQ(result.max_error, largest);
  }
}

TEST_P(Compare, ARelativeBoundGrowsWithTheReference) {
  const ErrorBound bound{.absolute = 0.5, .relative = 0.25};
  const CompareResult result =
      compare_doubles({1.5, 12.0, -13.0, 7.0}, {1.0, 10.0, -10.0, 4.0}, bound);
  EXPECT_EQ(result.wrong, 1u);
  EXPECT_EQ(result.first_wrong, 3u);
  EXPECT_EQ(result.tolerance_at_max, 3.0);
}

TEST_P(Compare, AScaledBoundIsTheMostThatTheAbsoluteOneGrants) {
  const ErrorBound bound{.absolute = 4, .rms = 2, .scaled = 0.25};
  // 0.5 at zero, by the rms; 1 at 4; at 100 the absolute one, which is less than 25.
  const CompareResult result =
      compare_doubles({0.5, 0.75, 5.0, 5.25, 104.0, 105.0}, {0, 0, 4, 4, 100, 100}, bound);
  EXPECT_EQ(result.wrong, 3u);
  EXPECT_EQ(result.first_wrong, 1u);
  EXPECT_EQ(result.tolerance_at_max, 4.0);
}

TEST_P(Compare, WidensEveryFloatingType) {
  const std::vector<double> reference{1.0, -2.5, 0.0, 1024.0};
  const ErrorBound bound{0.5, 0, 0};
  const std::vector<float> floats{1.25f, -2.5f, 0.0f, 1025.0f};
  std::vector<Half> halves;
  std::vector<BFloat16> brains;
  for (const float value : floats) {
    halves.push_back(to_half(value));
    brains.push_back(to_bfloat16(value));
  }
  for (const CompareResult& result :
       {compare(floats, DType::kFloat32, reference, DType::kFloat64, bound),
        compare(halves, DType::kFloat16, reference, DType::kFloat64, bound)}) {
    EXPECT_EQ(result.wrong, 1u);
    EXPECT_EQ(result.first_wrong, 3u);
    EXPECT_EQ(result.sum_squared_error, 0.25 * 0.25 + 1);
  }
  // bfloat16 has no 1025.
  EXPECT_EQ(compare(brains, DType::kBFloat16, reference, DType::kFloat64, bound).wrong, 0u);
  EXPECT_EQ(compare(brains, DType::kBFloat16, brains, DType::kBFloat16, {}).wrong, 0u);
  EXPECT_EQ(compare(halves, DType::kFloat16, floats, DType::kFloat32, {}).wrong, 0u);
}

TEST_P(Compare, IsExactForIntegersWhateverTheBound) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;  // not a double
  const std::vector<std::int64_t> reference{1, 2, large};
  EXPECT_EQ(compare(reference, DType::kInt64, reference, DType::kInt64, {}).wrong, 0u);
  const std::vector<std::int64_t> got{1, 3, large - 1};
  const CompareResult result = compare(got, DType::kInt64, reference, DType::kInt64, {100, 32, 1});
  EXPECT_EQ(result.wrong, 2u);
  EXPECT_EQ(result.first_wrong, 1u);
  EXPECT_EQ(result.max_error, 1.0);
  EXPECT_EQ(result.tolerance_at_max, 0.0);
}

TEST_P(Compare, TakesOnlyOneForTrue) {
  const std::vector<std::uint8_t> truth{0, 1, 1};
  const std::vector<std::uint8_t> poisoned{0, 1, 0xFF};
  EXPECT_EQ(compare(poisoned, DType::kBool, truth, DType::kBool, {}).first_wrong, 2u);
}

TEST_P(Compare, RefusesWhatItCannotCompare) {
  const std::vector<double> x{1.0};
  CompareRequest request{x.data(), DType::kInt32, x.data(), DType::kFloat64, 1, 0, 0, 0};
  EXPECT_EQ(backend_->compare(request).error().code, ErrorCode::kBadInput);
  request.got_dtype = DType::kFloat64;
  request.absolute_bound = kNaN;
  EXPECT_EQ(backend_->compare(request).error().code, ErrorCode::kBadInput);
}

// Sums belong to the record of a run: they must not depend on how the work was shared.
TEST(CompareSums, DoNotDependOnTheNumberOfThreads) {
  std::vector<float> got(300'007);
  std::vector<double> reference(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    reference[i] = std::sin(static_cast<double>(i)) * 1e3;
    got[i] = static_cast<float>(reference[i]);
  }
  const CompareRequest request{
      got.data(), DType::kFloat32, reference.data(), DType::kFloat64, got.size(), 0, 32, 1};
  const auto one = make_cpu_backend(1);
  const auto three = make_cpu_backend(3);
  const auto a = (*one)->compare(request);
  const auto b = (*three)->compare(request);
  EXPECT_EQ(a->sum_squared_error, b->sum_squared_error);
  EXPECT_EQ(a->sum_squared_reference, b->sum_squared_reference);
  EXPECT_GT(a->sum_squared_error, 0);
  EXPECT_EQ(a->wrong, 0u);
}

}  // namespace
}  // namespace kbench
