#include "runner/task/working_type.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

Task shipped(const char* name, DType type) {
  auto task = load_task_in(
      type, std::filesystem::path(kbench::test::kSuites) / (std::string(name) + ".json"));
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

TEST(WorkingType, TwoClassesHaveOneOfTheirOwn) {
  EXPECT_EQ(working_type("bf16"), DType::kBFloat16);
  EXPECT_EQ(working_type("fp16"), DType::kFloat16);
  for (const char* other : {"torch-default", "fp32", "tf32", ""})
    EXPECT_EQ(working_type(other), DType::kFloat32) << other;
}

TEST(WorkingType, EveryFloat32OfATaskIsInIt) {
  for (const DType type : {DType::kBFloat16, DType::kFloat16}) {
    const Task task = shipped("level2/076_gemm_add_relu", type);
    for (const TaskSize& size : task.sizes) {
      ASSERT_FALSE(size.parameters.empty());
      for (const auto* tensors : {&size.inputs, &size.parameters, &size.outputs})
        for (const TensorSpec& tensor : *tensors) EXPECT_EQ(tensor.dtype, type) << tensor.name;
    }
  }
}

TEST(WorkingType, IntegersAndFloat64Stay) {
  const Task task = shipped("level1/095_crossentropyloss", DType::kBFloat16);
  const TaskSize& small = *task.find_size("small");
  EXPECT_EQ(small.inputs.at(0).dtype, DType::kBFloat16);
  EXPECT_EQ(small.inputs.at(1).dtype, DType::kInt64);
  EXPECT_EQ(with_type(DType::kFloat64, DType::kBFloat16), DType::kFloat64);
}

TEST(WorkingType, ATaskKeepsItsHashAndMovesHalfTheBytes) {
  const Task single = shipped("level1/019_relu", DType::kFloat32);
  const Task half = shipped("level1/019_relu", DType::kFloat16);
  EXPECT_EQ(single.hash, half.hash) << "the class is a part of the evaluation's key itself";
  const Work& of_single = single.find_size("small")->work;
  const Work& of_half = half.find_size("small")->work;
  EXPECT_DOUBLE_EQ(of_half.least_bytes(), of_single.least_bytes() / 2);
  EXPECT_DOUBLE_EQ(of_half.unfused_bytes, of_single.unfused_bytes / 2);
}

TEST(WorkingType, FloatsAreReadAsTheyWereWithoutAClass) {
  const auto file = std::filesystem::path(kbench::test::kSuites) / "level1/019_relu.json";
  const auto plain = load_task(file);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->find_size("small")->inputs.at(0).dtype, DType::kFloat32);
  EXPECT_EQ(half_class_of(*plain->find_size("small")), "");
}

TEST(WorkingType, IntegersThatItDoesNotTellApartAreNotDrawn) {
  TensorSpec labels{.name = "labels", .dtype = DType::kBFloat16, .shape = {4}};
  labels.draw = {.kind = Draw::Kind::kIntegers, .a = 0, .b = 257};
  TaskSize size{.inputs = {labels}};
  EXPECT_EQ(why_not_in_half(size), "") << "256 is exact";
  size.inputs[0].draw.b = 258;
  EXPECT_THAT(why_not_in_half(size), HasSubstr("labels holds integers of [0, 258), and bfloat16"));
  size.inputs[0].dtype = DType::kFloat16;
  EXPECT_EQ(why_not_in_half(size), "");
  size.inputs[0].dtype = DType::kInt64;
  size.inputs[0].draw.b = 100'000;
  EXPECT_EQ(why_not_in_half(size), "");
}

TEST(WorkingType, IndicesOfValuesThatTieAreNotAskedFor) {
  const auto why = [](const char* name) {
    return why_not_in_half(*shipped(name, DType::kBFloat16).find_size("small"));
  };
  EXPECT_THAT(why("level1/051_argmax_over_a_dimension"), HasSubstr("y holds indices"));
  EXPECT_EQ(why("level1/019_relu"), "");
}

TEST(WorkingType, ItsClassIsReadOffTheTensors) {
  const TensorSpec half{.name = "x", .dtype = DType::kFloat16};
  const TensorSpec single{.name = "y", .dtype = DType::kFloat32};
  const TensorSpec index{.name = "i", .dtype = DType::kInt64};
  EXPECT_EQ(half_class_of({.inputs = {half}, .outputs = {index}}), "fp16");
  EXPECT_EQ(half_class_of({.inputs = {half}, .outputs = {single}}), "");
  EXPECT_EQ(half_class_of({.inputs = {index}, .outputs = {index}}), "");
  EXPECT_EQ(half_class_of(*shipped("level1/019_relu", DType::kBFloat16).find_size("small")),
            "bf16");
}

}  // namespace
}  // namespace kbench
