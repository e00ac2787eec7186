#include "runner/verify/acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runner/backend/backend.hpp"
#include "runner/backend/float16.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/likely_cause.hpp"
#include "runner/verify/profile.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

const std::vector<TensorSpec> kOutputs{{.name = "y", .shape = {2, 3}}};
const std::vector<EagerError> kEager{{1e-6, 1e-7, 0.5}};

TEST(Acceptance, BoundsFollowTheRule) {
  const AcceptanceRule rule;
  const auto reference = bounds(rule, kEager, Against::kReference);
  EXPECT_DOUBLE_EQ(reference.at(0).absolute, 4e-6);
  EXPECT_DOUBLE_EQ(reference.at(0).ulp_factor, 64);
  EXPECT_DOUBLE_EQ(reference.at(0).rms, 0.5);
  EXPECT_DOUBLE_EQ(bounds(rule, kEager, Against::kEager).at(0).absolute, 5e-6);
}

TEST(Acceptance, LongSumsMayBeAddedOneAfterTheOther) {
  TaskSize size{.outputs = kOutputs, .longest_sum = 4'096};
  const AcceptanceRule rule = for_task({}, size);
  EXPECT_EQ(rule.g, 512);
  EXPECT_DOUBLE_EQ(bounds(rule, kEager, Against::kReference).at(0).ulp_factor, 64 + 512);
  CompareResult result;
  result.sum_squared_reference = 1;
  result.sum_squared_error = 3e-5 * 3e-5;  // 544 * 2^-24 = 3.2e-5
  EXPECT_TRUE(judge(rule, kOutputs, kEager, {result}, Against::kReference).passed);
  EXPECT_FALSE(judge({}, kOutputs, kEager, {result}, Against::kReference).passed);
  size.longest_sum = 16'384;
  EXPECT_EQ(for_task({}, size).g, 960) << "half precision costs 2,048 and more";
  size.longest_sum = 16'385;
  EXPECT_EQ(for_task({}, size).g, 0) << "beyond that sums are made of blocks";
  size = {.outputs = {{.name = "loss", .shape = {}}}, .longest_sum = 4'096};
  EXPECT_EQ(for_task({}, size).g, 0);
}

TEST(Acceptance, FastMathematicsIsGrantedByWhatTheGraphHas) {
  TaskSize size{.outputs = kOutputs, .transcendental_functions = 1};
  const auto rule = for_fast_math(for_task({}, size), size);
  ASSERT_TRUE(rule);
  EXPECT_DOUBLE_EQ(bounds(*rule, kEager, Against::kReference).at(0).ulp_factor, 64 + 64);
  CompareResult result;
  result.sum_squared_reference = 1;
  result.sum_squared_error = 4e-6 * 4e-6;  // 4e-7 + 64 * 2^-24 = 4.2e-6
  EXPECT_TRUE(judge(*rule, kOutputs, kEager, {result}, Against::kReference).passed);
  EXPECT_FALSE(judge({}, kOutputs, kEager, {result}, Against::kReference).passed);
  size.transcendental_functions = 100;
  EXPECT_EQ(for_fast_math({}, size)->f, 256) << "an approximate tanh costs 8,192";
}

TEST(Acceptance, FastMathematicsIsNothingOfItsOwn) {
  const TaskSize none{.outputs = kOutputs};
  EXPECT_FALSE(for_fast_math({}, none)) << "no function that hardware approximates";
  TaskSize size{.outputs = {{.name = "y", .dtype = DType::kFloat16, .shape = {2}}},
                .transcendental_functions = 1};
  EXPECT_FALSE(for_fast_math({}, size)) << "a half is coarser than that anyway";
  size.outputs = kOutputs;
  EXPECT_FALSE(for_fast_math({.allclose = 1e-4}, size)) << "another benchmark's rule";
}

TEST(Acceptance, FunctionsOfShippedTasksAreCounted) {
  const auto functions_of = [](const char* name) {
    const auto task =
        load_task(std::filesystem::path(kbench::test::kSuites) / (std::string(name) + ".json"));
    return task ? task->find_size("small")->transcendental_functions : -1;
  };
  EXPECT_EQ(functions_of("level1/019_relu"), 0);
  EXPECT_EQ(functions_of("level1/021_sigmoid"), 1);
  EXPECT_EQ(functions_of("level1/024_logsoftmax"), 2);
  EXPECT_EQ(functions_of("level2/004_conv2d_mish_mish"), 4);
}

// A comparison of `outputs` with `right`, both of a thousand elements.
std::string cause_of(const std::function<double(double)>& wrong) {
  const TensorSpec spec{.name = "y", .shape = {1000}};
  CompareResult result;
  for (int i = 0; i < 1000; ++i) {
    const double right = std::sin(i * 12.9898) * 2;
    const double error = wrong(right) - right;
    if (std::abs(error) > 1e-5) {
      if (result.wrong++ == 0) {
        result.first_wrong_got = wrong(right);
        result.first_wrong_reference = right;
      }
    }
    result.max_error = std::max(result.max_error, std::abs(error));
    result.sum_squared_error += error * error;
    result.sum_squared_reference += right * right;
  }
  const Check check = judge({}, {spec}, kEager, {result}, Against::kReference);
  EXPECT_FALSE(check.passed);
  const std::string cause = likely_cause(spec, result);
  EXPECT_TRUE(check.message.ends_with(cause)) << check.message;
  return cause;
}

double rounded(double x, int bits) {
  int exponent = 0;
  const double scale = std::ldexp(1.0, bits + 1);
  const double fraction = std::round(std::frexp(x, &exponent) * scale) / scale;
  return std::ldexp(fraction, exponent);
}

TEST(LikelyCause, IsToldByHowFarAllOfItIsOff) {
  EXPECT_EQ(cause_of([](double) { return 0.0; }), "all of it is zero");
  EXPECT_EQ(cause_of([](double x) { return 2 * x; }),
            "all of it is about 2 times what it should be");
  EXPECT_EQ(cause_of([](double x) { return x / 2; }),
            "all of it is about 0.5 times what it should be");
  EXPECT_EQ(cause_of([](double x) { return -x; }), "all of it has the other sign");
  EXPECT_EQ(
      cause_of([](double x) { return rounded(x, 10); }),
      "it is as far off as float16 or TF32 is, or as a sum from which a race or a bound drops "
      "a few terms");
  EXPECT_EQ(cause_of([](double x) { return rounded(x, 7); }),
            "it is as far off as bfloat16 is, or as a sum from which a race or a bound drops a few "
            "terms");
  // A kernel that takes small values for zero was told that its arithmetic is float16.
  EXPECT_EQ(cause_of([](double x) { return std::abs(x) < 0.05 ? 0.0 : x; }), "");
  EXPECT_NE(cause_of([](double x) { return std::sin(x * 911.7) * 2; }).find("kbench_prepare"),
            std::string::npos);
}

TEST(LikelyCause, OfAnythingElseNothingIsSaid) {
  // Another function that grows: few large errors are as large as all that is expected.
  EXPECT_EQ(cause_of([](double x) { return x > 1.9999 ? 47 : x + 0.01; }), "");
  EXPECT_EQ(cause_of([](double x) { return x > 1.9999 ? 7 : x; }), "") << "one element";
  EXPECT_EQ(cause_of([](double x) { return x < 0 ? 0 : x; }), "") << "half of them";
  EXPECT_EQ(cause_of([](double x) { return x + 0.3; }), "");
  CompareResult result;
  result.wrong = 3;
  result.first_wrong_got = 4;
  result.first_wrong_reference = 2;
  result.sum_squared_error = result.sum_squared_reference = 12;
  EXPECT_EQ(likely_cause({.name = "i", .dtype = DType::kInt64, .shape = {3}}, result), "");
  result.first_wrong_got = std::nan("");
  EXPECT_EQ(likely_cause({.name = "y", .shape = {3}}, result), "");
}

// A ReLU in the place of tanh was told to look at kbench_prepare.
TEST(LikelyCause, AnotherFunctionIsNotTakenForOtherValues) {
  const TensorSpec spec{.name = "y", .shape = {100}};
  CompareResult result;
  result.wrong = 100;
  result.first_wrong_got = 3.04;
  result.first_wrong_reference = 0.995;
  result.max_error = 3;
  result.sum_squared_error = 200;
  result.sum_squared_reference = 100;
  EXPECT_NE(likely_cause(spec, result).find("unrelated"), std::string::npos);
  result.max_error = 11.5;  // eight times the root mean square
  EXPECT_EQ(likely_cause(spec, result), "");
}

// Among values with heavy tails the largest of another order is as far off as another function is.
TEST(LikelyCause, ValuesInAnotherOrderAreToldUnlessTheirTailsAreHeavy) {
  const auto of_another_order = [](const std::function<double(double)>& quantile) {
    constexpr int kElements = 10'000;
    const TensorSpec spec{.name = "y", .shape = {kElements}};
    CompareResult result;
    for (int i = 0; i < kElements; ++i) {
      const auto value = [&](int place) { return quantile((place % kElements + 0.5) / kElements); };
      const double right = value(i);
      const double got = value(i * 7919 + 4321);
      const double error = std::abs(got - right);
      if (i == 0) {
        result.first_wrong_got = got;
        result.first_wrong_reference = right;
      }
      ++result.wrong;
      result.max_error = std::max(result.max_error, error);
      result.sum_squared_error += error * error;
      result.sum_squared_reference += right * right;
    }
    return likely_cause(spec, result);
  };
  EXPECT_THAT(of_another_order([](double p) { return std::log(p / (1 - p)); }),
              ::testing::HasSubstr("in another order"));
  EXPECT_EQ(of_another_order([](double p) { return std::pow(std::log(p / (1 - p)), 3); }), "");
}

TEST(Acceptance, WrongElementsFailAndAreNamedByIndex) {
  CompareResult result;
  result.wrong = 1;
  result.first_wrong = 4;
  result.first_wrong_got = 7;
  const Check check = judge({}, kOutputs, kEager, {result}, Against::kReference);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(
      check.message,
      "1 of 6 elements of y are wrong; the first is y[1, 1]: got 7, expected 0, off by 7 where "
      "7.81e-06 is allowed")
      << "4 times eager's error, and 64 units at half";
}

TEST(Acceptance, WhatWasPerhapsNeverWrittenIsSaidToBe) {
  CompareResult result;
  result.wrong = 6;
  result.first_wrong_got = -std::numeric_limits<double>::quiet_NaN();
  result.first_wrong_reference = 0.5;
  const auto message = [&](Whose whose) {
    return judge({}, kOutputs, kEager, {result}, Against::kReference, whose).message;
  };
  EXPECT_EQ(message(Whose::kSubmissions),
            "6 of 6 elements of y are wrong; the first is y[0, 0]: got nan, expected 0.5; outputs "
            "hold nan until they are written, so this element may never have been");
  EXPECT_TRUE(std::isnan(judge({}, kOutputs, kEager, {result}, Against::kReference).max_error))
      << "was 0, which reads as right";
  EXPECT_EQ(message(Whose::kCompiledBaselines),
            "6 of 6 elements of y are wrong; the first is y[0, 0]: got nan, expected 0.5");
}

TEST(Acceptance, ASmallErrorEverywhereFailsByTheNorm) {
  CompareResult result;
  result.sum_squared_reference = 1;
  result.sum_squared_error = 1e-8;  // relative L2 of 1e-4
  const Check check = judge({}, kOutputs, kEager, {result}, Against::kReference);
  EXPECT_FALSE(check.passed);
  EXPECT_FALSE(judge({}, kOutputs, kEager, {result}, Against::kEager).passed) << "timed calls too";
  EXPECT_TRUE(
      judge({}, kOutputs, kEager, {result}, Against::kEager, Whose::kCompiledBaselines).passed)
      << "it may have chosen TF32";
}

TEST(Acceptance, ATimedCallDiffersFromEagerByBothErrors) {
  CompareResult result;
  result.sum_squared_reference = 1;
  const double eager = kEager.at(0).relative_l2;
  const double rounding = 32 * 0x1p-24;
  const auto passes = [&](double relative_l2, Against against) {
    result.sum_squared_error = relative_l2 * relative_l2;
    return judge({}, kOutputs, kEager, {result}, against).passed;
  };
  EXPECT_TRUE(passes(4.9 * eager + rounding, Against::kEager));
  EXPECT_FALSE(passes(4.9 * eager + rounding, Against::kReference));
  EXPECT_FALSE(passes(5.1 * eager + rounding, Against::kEager));
}

TEST(Acceptance, WhatTheOracleSaysOfASliceIsData) {
  const std::vector<TensorSpec> vector{{.name = "y", .shape = {6}}};
  CompareResult result{.slice_share = 2, .slice_error = 0.1};
  result.slice_dimension = kFirstTwoDimensions;
  result.sum_squared_reference = 1;
  const Check check = judge({}, vector, kEager, {result}, Against::kReference);
  EXPECT_FALSE(check.passed);
  EXPECT_THAT(check.message, ::testing::HasSubstr("all elements with index 0"));
}

TEST(Acceptance, NoBoundCanBeSaidInJson) {
  const nlohmann::json said = unbounded(2).at(1).absolute;
  EXPECT_EQ(nlohmann::json::parse(said.dump()).get<double>(), unbounded(2).at(1).absolute);
}

TEST(Acceptance, NearIsWhatAnotherRunOfEagerWouldBe) {
  const auto near = [](double max_error, double relative_l2, double rms, std::uint64_t wrong = 0) {
    CompareResult result{.wrong = wrong, .max_error = max_error};
    result.sum_squared_reference = rms * rms * 6;  // six elements
    result.sum_squared_error = relative_l2 * relative_l2 * result.sum_squared_reference;
    return is_near(kOutputs, kEager, {result});
  };
  EXPECT_TRUE(near(1.9e-6, 1.9e-7, 0.5));
  EXPECT_FALSE(near(2.1e-6, 1.9e-7, 0.5)) << "one element";
  EXPECT_FALSE(near(1.9e-6, 2.1e-7, 0.5)) << "the whole";
  EXPECT_FALSE(near(1.9e-6, 1.9e-7, 0.05)) << "outputs of another draw are smaller";
  EXPECT_TRUE(near(1.9e-5, 1.9e-7, 5)) << "or larger";
  EXPECT_FALSE(near(0, 0, 0.5, 1)) << "a number on one side only";
  EXPECT_TRUE(near(0, 0, 0));
}

TEST(Acceptance, TheWorstOfTwoDrawsIsTheLooserErrorAndTheStricterScale) {
  const auto worst = worst_of({{1, 2, 3}}, {{2, 1, 1}});
  EXPECT_DOUBLE_EQ(worst.at(0).max_error, 2);
  EXPECT_DOUBLE_EQ(worst.at(0).relative_l2, 2);
  EXPECT_DOUBLE_EQ(worst.at(0).rms, 1);
  EXPECT_EQ(worst_of({}, kEager).size(), 1u);
}

TEST(Acceptance, AllcloseReplacesTheRule) {
  const AcceptanceRule rule{.allclose = 1e-2};
  for (const Against against : {Against::kReference, Against::kEager}) {
    const OutputBound bound = bounds(rule, kEager, against).at(0);
    EXPECT_EQ(bound.absolute, 1e-2);
    EXPECT_EQ(bound.relative, 1e-2);
    EXPECT_EQ(bound.ulp_factor, 0);
  }
  CompareResult result;
  result.sum_squared_reference = 1;
  result.sum_squared_error = 1e-2;
  EXPECT_TRUE(judge(rule, kOutputs, kEager, {result}, Against::kReference).passed);
  result.wrong = 1;
  EXPECT_FALSE(judge(rule, kOutputs, kEager, {result}, Against::kReference).passed);
}

// Dot products of operands in 16 bits, as a matrix product has them. Eager adds up in float32 and
// rounds at the end.
class HalfOutputs : public ::testing::TestWithParam<DType> {
 protected:
  static constexpr std::size_t kRows = 512;
  static constexpr std::size_t kTerms = 256;
  using Sum = std::function<double(const std::vector<double>& products)>;

  HalfOutputs() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::vector<double>& row : products_) {
      row.resize(kTerms);
      for (double& product : row) product = in_type(uniform(random)) * in_type(uniform(random));
    }
    reference_ = each([](const std::vector<double>& row) { return in_order<double>(row); });
    eager_ = {error_of(
        each([this](const std::vector<double>& row) { return in_type(in_order<float>(row)); }))};
  }

  static double in_type(double value, DType type) {
    const auto single = static_cast<float>(value);
    return type == DType::kBFloat16 ? to_float(to_bfloat16(single)) : to_float(to_half(single));
  }
  [[nodiscard]] double in_type(double value) const { return in_type(value, GetParam()); }

  // Rounds to nearest, with so many bits of significand: float8_e4m3 has four.
  static double with_bits(double value, int bits) {
    int exponent = 0;
    const double significand = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
  }

  template <class T>
  static T in_order(const std::vector<double>& row) {
    T sum = 0;
    for (const double product : row) sum += static_cast<T>(product);
    return sum;
  }

  [[nodiscard]] std::vector<double> each(const Sum& sum) const {
    std::vector<double> results;
    for (const std::vector<double>& row : products_) results.push_back(sum(row));
    return results;
  }

  [[nodiscard]] CompareResult compared(const std::vector<double>& got,
                                       const OutputBound& bound) const {
    auto backend = make_cpu_backend(1);
    auto result = (*backend)->compare({.got = got.data(),
                                       .got_dtype = DType::kFloat64,
                                       .reference = reference_.data(),
                                       .elements = got.size(),
                                       .absolute_bound = bound.absolute,
                                       .ulp_factor = bound.ulp_factor,
                                       .rms = bound.rms,
                                       .relative_bound = bound.relative,
                                       .scaled_bound = bound.scaled});
    EXPECT_TRUE(result);
    return *result;
  }

  [[nodiscard]] EagerError error_of(const std::vector<double>& got) const {
    const CompareResult result = compared(got, {std::numeric_limits<double>::infinity(), 0, 0, 0});
    EagerError error{result.max_error,
                     std::sqrt(result.sum_squared_error / result.sum_squared_reference),
                     std::sqrt(result.sum_squared_reference / kRows), 0};
    for (std::size_t i = 0; i < got.size(); ++i)
      error.scaled_error =
          std::max(error.scaled_error,
                   std::abs(got[i] - reference_[i]) / std::max(std::abs(reference_[i]), error.rms));
    return error;
  }

  // Rows of which each is ten times as small as half of those before it, as a softmax has them.
  void make_peaks() {
    for (std::size_t row = 0; row < kRows; ++row)
      for (double& product : products_[row])
        product = std::abs(product) * std::pow(10, -static_cast<double>(row % 8));
    reference_ = each([](const std::vector<double>& row) { return in_order<double>(row); });
    eager_ = {error_of(
        each([this](const std::vector<double>& row) { return in_type(in_order<float>(row)); }))};
  }

  [[nodiscard]] Check check(const Sum& kernel, Against against = Against::kReference) const {
    const std::vector<TensorSpec> outputs{{.name = "y", .dtype = GetParam(), .shape = {kRows}}};
    const AcceptanceRule rule = for_task({}, {.outputs = outputs});
    const OutputBound bound = bounds(rule, eager_, against).at(0);
    return judge(rule, outputs, eager_, {compared(each(kernel), bound)}, against);
  }

  std::vector<std::vector<double>> products_{kRows};
  std::vector<double> reference_;
  std::vector<EagerError> eager_;
};

TEST_P(HalfOutputs, SumsInFloat32AreRightInAnyOrderIfRoundedAtTheEnd) {
  const Sum backwards = [this](const std::vector<double>& row) {
    return in_type(in_order<float>({row.rbegin(), row.rend()}));
  };
  const Sum exactly = [this](const std::vector<double>& row) {
    return in_type(in_order<double>(row));
  };
  for (const Against against : {Against::kReference, Against::kEager}) {
    EXPECT_TRUE(check(backwards, against).passed) << check(backwards, against).message;
    EXPECT_TRUE(check(exactly, against).passed);
  }
}

TEST_P(HalfOutputs, RoundingToEightBitsIsWrong) {
  for (const int bits : {4, 3}) {  // e4m3, e5m2
    const Check found = check([this, bits](const std::vector<double>& row) {
      return with_bits(in_order<float>(row), bits);
    });
    EXPECT_FALSE(found.passed);
    EXPECT_THAT(found.message, ::testing::HasSubstr("as far off as a type of 8 bits is"));
  }
}

TEST_P(HalfOutputs, AddingUpInTheTypeItselfIsWrong) {
  const auto found = check([this](const std::vector<double>& row) {
    double sum = 0;
    for (const double product : row) sum = in_type(sum + product);
    return sum;
  });
  EXPECT_FALSE(found.passed);
}

TEST_P(HalfOutputs, Bfloat16IsNotEnoughWhereFloat16IsDeclared) {
  const auto found = check([](const std::vector<double>& row) {
    return in_type(in_order<float>(row), DType::kBFloat16);
  });
  EXPECT_EQ(found.passed, GetParam() == DType::kBFloat16) << found.message;
}

TEST_P(HalfOutputs, OneRoundingIsGrantedWhereEagerIsExact) {
  eager_ = {{0, 0, eager_.at(0).rms, 0}};
  EXPECT_TRUE(check([this](const std::vector<double>& row) {
                return in_type(in_order<double>(row));
              }).passed);
  EXPECT_FALSE(check([](const std::vector<double>& row) {
                 return with_bits(in_order<double>(row), 4);
               }).passed);
}

// Half a unit in the last place of the largest output is as much as a small output itself.
TEST_P(HalfOutputs, WhatTheLargestMayBeOffByDoesNotExcuseTheSmallOnes) {
  make_peaks();
  const double rms = eager_.at(0).rms;
  const double off_by = eager_.at(0).scaled_error * rms * 6;
  const auto raised = [&](const std::vector<double>& row) {
    const double sum = in_order<double>(row);
    const bool is_raised = &row == &products_[7];
    return is_raised ? sum + off_by + std::ldexp(rms, 1 - significand_bits(GetParam())) : sum;
  };
  EXPECT_FALSE(check(raised).passed);
  EXPECT_FALSE(check(raised, Against::kEager).passed);
  EXPECT_TRUE(check([this](const std::vector<double>& row) {
                return in_type(in_order<float>({row.rbegin(), row.rend()}));
              }).passed);
}

// As `>> 16` of a float32 does.
TEST_P(HalfOutputs, RoundingToZeroIsRight) {
  const auto to_zero = [](const std::vector<double>& row) {
    int exponent = 0;
    const double significand = std::frexp(in_order<double>(row), &exponent);
    const int bits = significand_bits(GetParam());
    return std::ldexp(std::trunc(std::ldexp(significand, bits)), exponent - bits);
  };
  EXPECT_TRUE(check(to_zero).passed);
  make_peaks();
  EXPECT_TRUE(check(to_zero).passed);
}

TEST(Acceptance, AMeanThatIsOffIsWrongInSixteenBitsThoughNoElementIs) {
  const std::vector<TensorSpec> outputs{
      {.name = "y", .dtype = DType::kBFloat16, .shape = {64, 32}}};
  const AcceptanceRule rule = for_task({}, {.outputs = outputs});
  const std::vector<EagerError> eager{{.max_error = 1e-2, .rms = 1, .slice_errors = {1e-4, 2e-4}}};
  const OutputBound bound = bounds(rule, eager, Against::kReference).at(0);
  EXPECT_EQ(bound.slices, (std::vector<double>{4e-4, 8e-4}));
  EXPECT_EQ(bound.slice_roundoff, 0x1p-8);
  EXPECT_TRUE(bounds(rule, eager, Against::kEager).at(0).slices.empty()) << "it has no reference";

  CompareResult result{.sum_squared_reference = 2048};
  result.slice_share = 1;
  result.slice_error = -4e-3;
  result.slice_dimension = 1;
  result.slice_index = 7;
  EXPECT_TRUE(judge(rule, outputs, eager, {result}, Against::kReference).passed);
  result.slice_share = 2;
  const Check check = judge(rule, outputs, eager, {result}, Against::kReference);
  EXPECT_FALSE(check.passed);
  EXPECT_THAT(check.message,
              ::testing::HasSubstr("index 7 in dimension 1 is off by -0.004, where 0.002"));
  const auto said_of = [&](std::int64_t part) {
    result.slice_dimension = static_cast<std::uint64_t>(part);
    result.slice_index = 70;
    return judge(rule, outputs, eager, {result}, Against::kReference).message;
  };
  EXPECT_THAT(said_of(kFirstTwoDimensions),
              ::testing::HasSubstr("indices 2 and 6 in the first two dimensions is off by -0.004"));
  EXPECT_THAT(said_of(kWholeOutput),
              ::testing::HasSubstr("y as a whole is 0.4 % too small, where 0.2 % is allowed"));
}

TEST(Acceptance, AnImpreciseEagerExcusesAQuarterOrTwiceItsOwnPartInSixteenBits) {
  const AcceptanceRule rule =
      for_task({}, {.outputs = {{.name = "y", .dtype = DType::kBFloat16, .shape = {64, 32}}}});
  const auto part = [&](double of_eager, Against against) {
    return bounds(rule, {{.rms = 1, .scaled_error = of_eager}}, against).at(0).scaled;
  };
  EXPECT_DOUBLE_EQ(part(0.01, Against::kReference), 0.04);
  EXPECT_DOUBLE_EQ(part(0.1, Against::kReference), 0.25);
  EXPECT_DOUBLE_EQ(part(0.3, Against::kReference), 0.6);
  EXPECT_DOUBLE_EQ(part(0.01, Against::kEager), 0.05);
  EXPECT_DOUBLE_EQ(part(0.1, Against::kEager), 0.35);
}

TEST(Acceptance, TheWorstOfTwoDrawsHasTheWorstOfEachMean) {
  const auto worst = worst_of({{.scaled_error = 3, .slice_errors = {1, 4}}},
                              {{.scaled_error = 2, .slice_errors = {2, 3}}});
  EXPECT_EQ(worst.at(0).scaled_error, 3);
  EXPECT_EQ(worst.at(0).slice_errors, (std::vector<double>{2, 4}));
}

INSTANTIATE_TEST_SUITE_P(Types, HalfOutputs, ::testing::Values(DType::kBFloat16, DType::kFloat16));

TEST(Acceptance, OtherBenchmarksGrantMoreInSixteenBits) {
  TaskSize size{.outputs = kOutputs};
  EXPECT_EQ(for_task({.allclose = 1e-4}, size).allclose, 1e-4);
  size.outputs[0].dtype = DType::kBFloat16;
  EXPECT_EQ(for_task({.allclose = 1e-4}, size).allclose, 1e-2);
  EXPECT_EQ(for_task({}, size).allclose, 0);
}

TEST(Profile, NamesAreKnownAndTheFirstIsTheHousesOwn) {
  ASSERT_TRUE(find_profile("kbench").ok());
  EXPECT_EQ(find_profile("kbench")->acceptance.allclose, 0);
  EXPECT_FALSE(find_profile("kbench")->original_draws);
  EXPECT_EQ(find_profile("kernelbench")->acceptance.allclose, 1e-4);
  EXPECT_TRUE(find_profile("cuda-agent")->original_draws);
  EXPECT_EQ(find_profile("mine").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace kbench
