#include "runner/task/hard_draws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/large_biases.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TensorSpec drawn(Draw::Kind kind, double a, double b, DType dtype = DType::kFloat32) {
  return {"x", dtype, {4, 8}, {kind, a, b, {}}};
}

TaskSize size_of_one_input(const TensorSpec& input) {
  TaskSize size;
  size.inputs = {input};
  size.outputs = {drawn(Draw::Kind::kUniform, 0, 1)};
  return size;
}

std::string reason(HardDraw draw, const TaskSize& size, const std::set<std::string>& operators,
                   const std::map<std::string, std::string>& skips = {}) {
  for (const HardDrawRule& rule : hard_draw_rules(size, operators, skips))
    if (rule.draw == draw) return rule.reason;
  return "no such rule";
}

const TensorSpec kSigned = drawn(Draw::Kind::kUniform, -1, 1);

TEST(HardDraws, AllApplyToAPlainGraph) {
  for (const HardDraw draw : kHardDraws) {
    EXPECT_THAT(reason(draw, size_of_one_input(kSigned), {"aten::relu", "aten::linear"}),
                IsEmpty());
  }
}

TEST(HardDraws, AnOperatorKeepsThemAwayAndIsNamed) {
  const TaskSize size = size_of_one_input(kSigned);
  EXPECT_THAT(reason(HardDraw::kBits, size, {"aten::log"}), HasSubstr("aten::log"));
  EXPECT_THAT(reason(HardDraw::kWide, size, {"aten::log"}), IsEmpty());
  EXPECT_THAT(reason(HardDraw::kWide, size, {"aten::exp"}), HasSubstr("aten::exp"));
  EXPECT_THAT(reason(HardDraw::kWide, size, {"aten::softmax"}), IsEmpty());
  EXPECT_THAT(reason(HardDraw::kWide, size, {"aten::softmax", "aten::matmul"}),
              HasSubstr("softmax of products"));
}

TEST(HardDraws, TiesKeepZerosAndOnesFromIndices) {
  TaskSize size = size_of_one_input(kSigned);
  size.outputs[0].dtype = DType::kInt64;
  EXPECT_THAT(reason(HardDraw::kBits, size, {"aten::relu"}), HasSubstr("ties"));
  EXPECT_THAT(reason(HardDraw::kWide, size, {"aten::relu"}), IsEmpty());
}

TEST(HardDraws, WithoutAContinuousInputNoneApplies) {
  const TaskSize size = size_of_one_input(drawn(Draw::Kind::kIntegers, 0, 9, DType::kInt64));
  for (const HardDraw draw : kHardDraws)
    EXPECT_THAT(reason(draw, size, {"aten::relu"}), HasSubstr("continuous"));
}

TEST(HardDraws, ATaskMayRefuseOne) {
  EXPECT_EQ(reason(HardDraw::kSpikes, size_of_one_input(kSigned), {}, {{"spikes", "because"}}),
            "because");
}

TEST(HardDraws, OnlyContinuousInputsChangeAndTheirSignStays) {
  EXPECT_EQ(hardened(kSigned, HardDraw::kWide).draw.kind, Draw::Kind::kWide);
  EXPECT_EQ(hardened(kSigned, HardDraw::kWide).draw.a, 0);
  EXPECT_EQ(hardened(drawn(Draw::Kind::kUniform, 0, 1), HardDraw::kSpikes).draw.a, 1);
  TensorSpec scaled = drawn(Draw::Kind::kUniform, 0, 1);
  scaled.draw.times = Draw::Factor{Draw::Kind::kUniform, 0, 1};
  EXPECT_EQ(hardened(scaled, HardDraw::kSpikes).draw.a, 1);
  EXPECT_FALSE(hardened(scaled, HardDraw::kSpikes).draw.times.has_value());
  scaled.draw.times->a = -1;
  EXPECT_EQ(hardened(scaled, HardDraw::kSpikes).draw.a, 0);
  const TensorSpec bits = hardened(kSigned, HardDraw::kBits);
  EXPECT_EQ(bits.draw.kind, Draw::Kind::kBernoulli);
  EXPECT_EQ(bits.draw.a, 0.5);
  const TensorSpec mask = drawn(Draw::Kind::kTril, 0, 0);
  EXPECT_EQ(hardened(mask, HardDraw::kWide).draw.kind, Draw::Kind::kTril);
}

TEST(HardDraws, NamesGoBothWays) {
  for (const HardDraw draw : kHardDraws) EXPECT_EQ(*hard_draw_from_string(to_string(draw)), draw);
  EXPECT_FALSE(hard_draw_from_string("wild").ok());
}

TEST(LargeBiases, AreThoseInSixteenBitsAroundZero) {
  using enum Draw::Kind;
  const auto width = [](const std::vector<std::int64_t>& shape, Draw draw,
                        DType dtype = DType::kBFloat16) {
    return with_large_bias({"bias", dtype, shape, std::move(draw)}).draw.b;
  };
  EXPECT_EQ(width({64}, {kUniform, -0.1, 0.1, {}}), 1);
  EXPECT_EQ(width({64, 1, 1}, {kNormal, 0, 0.02, {}}, DType::kFloat16), 1);
  EXPECT_EQ(width({64, 2}, {kUniform, -0.1, 0.1, {}}), 0.1);
  EXPECT_EQ(width({64}, {kUniform, -2, 2, {}}), 2);
  EXPECT_EQ(width({64}, {kUniform, -7, -5, {}}), -5);
  EXPECT_EQ(width({64}, {kUniform, -0.1, 0.1, {}}, DType::kFloat32), 0.1);
  TaskSize size;
  size.parameters = {{"weight", DType::kBFloat16, {64, 64}, {kUniform, -0.1, 0.1, {}}}};
  EXPECT_FALSE(has_small_biases(size));
  size.parameters.push_back({"bias", DType::kBFloat16, {64}, {kUniform, -0.1, 0.1, {}}});
  EXPECT_TRUE(has_small_biases(size));
}

TEST(LargeBiases, TheKeyOfAPlacementSaysSo) {
  EXPECT_TRUE(draws_large_biases(key_of_large_biases(0x1234'5678'9ABC'DEF0)));
  EXPECT_FALSE(draws_large_biases(0x1234'5678'9ABC'DEF0));
  EXPECT_NE(key_of_large_biases(std::uint64_t{1} << 32), key_of_large_biases(0));
}

}  // namespace
}  // namespace kbench
