#include "runner/measure/players/torch_use.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(TorchUse, WhatMovesDataIsTakenForNobodysWork) {
  for (const char* name : {"aten::empty", "aten::copy_", "aten::_to_copy", "aten::randn",
                           "aten::contiguous", "aten::zeros_like", "aten::_local_scalar_dense"})
    EXPECT_TRUE(is_data_operator(name)) << name;
  for (const char* name : {"aten::relu", "aten::add", "aten::mm", "aten::linear", "mine::empty", "",
                           "empty", "aten::emptyish"})
    EXPECT_FALSE(is_data_operator(name)) << name;
}

TEST(TorchUse, ThoseThatComputeAreListedByHowOften) {
  const TorchUse use{.operators = {{"aten::relu", 1}, {"aten::mm", 3}, {"aten::empty", 9}}};
  EXPECT_EQ(computing_operators(use), "aten::mm 3, aten::relu 1");
  EXPECT_EQ(computing_operators({}), "");
}

TEST(TorchUse, TheirShareOfTheTimeIsToldWhereItIsKnown) {
  const TorchUse use{.operators = {{"aten::relu", 4}, {"aten::mm", 1}, {"aten::add", 2}},
                     .ns = {{"aten::relu", 70}, {"aten::mm", 920}},
                     .all_ns = 1000};
  EXPECT_EQ(computing_operators(use), "aten::mm 1 (92 %), aten::relu 4 (7 %), aten::add 2");
  EXPECT_EQ(computing_operators(
                {.operators = {{"aten::mm", 1}}, .ns = {{"aten::mm", 4000}}, .all_ns = 1000}),
            "aten::mm 1 (100 %)")
      << "several threads may add up to more";
  EXPECT_EQ(computing_operators(
                {.operators = {{"aten::mm", 1}}, .ns = {{"aten::mm", 4}}, .all_ns = 1000}),
            "aten::mm 1 (under 1 %)");
  EXPECT_EQ(computing_operators({.operators = {{"aten::mm", 1}}, .ns = {{"aten::mm", 4}}}),
            "aten::mm 1")
      << "of nobody knows how much";
}

TEST(TorchUse, ALongListIsCutAndSaysSo) {
  TorchUse use;
  for (int i = 0; i < 50; ++i) use.operators["aten::op" + std::to_string(i)] = 1;
  EXPECT_NE(computing_operators(use).find("and 30 more"), std::string::npos);
}

TEST(TorchUse, TheWorkersWordMayBeAnything) {
  const auto read = [](const char* text) { return read_torch_use(Json::parse(text)); };
  const TorchUse good = read(R"({"operators": {"aten::relu": 2}, "hooks": true})");
  EXPECT_EQ(good.operators.at("aten::relu"), 2);
  EXPECT_TRUE(good.hooks_stand);
  const TorchUse timed = read(R"({"operators": {"aten::relu": 2}, "hooks": true, "all_ns": 9,
                                  "ns": {"aten::relu": 7, "aten::mm": -1, "aten::add": "x"}})");
  EXPECT_EQ(timed.ns, (std::map<std::string, std::int64_t>{{"aten::relu", 7}}));
  EXPECT_EQ(timed.all_ns, 9);
  EXPECT_EQ(read(R"({"operators": {}, "ns": 3, "all_ns": 1e300, "hooks": true})").all_ns, 0);
  for (const char* text : {"3", "[]", "{}", R"({"operators": 7, "hooks": true})",
                           R"({"operators": {}, "hooks": "true"})"})
    EXPECT_FALSE(read(text).hooks_stand) << text;
  const TorchUse odd =
      read(R"({"operators": {"a\u001b[2J": 1, "b": -1, "c": "x", "d": 1e300}, "hooks": true})");
  ASSERT_EQ(odd.operators.size(), 1u);
  EXPECT_EQ(odd.operators.begin()->first.find('\x1b'), std::string::npos);
}

TEST(TorchUse, EachPolicyHasAWord) {
  for (const AllowTorch policy : {AllowTorch::kData, AllowTorch::kAll, AllowTorch::kNone})
    EXPECT_EQ(allow_torch_from_string(to_string(policy)), policy);
  EXPECT_EQ(allow_torch_from_string("some"), std::nullopt);
}

}  // namespace
}  // namespace kbench
