#include "runner/measure/players/placed_output.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "runner/task/output_order.hpp"

namespace kbench {
namespace {

using Shape = std::vector<std::int64_t>;

Result<PlacedOutput> placed(const Shape& shape, const Shape& strides, bool may_share = false,
                            std::uint64_t address = 4096) {
  OutputPlace place{.home = OutputHome::kOwn, .address = address};
  std::copy(strides.begin(), strides.end(), place.strides.begin());
  return placed_output(place, {.name = "y", .shape = shape}, may_share);
}

std::string words_for(const Shape& shape, const Shape& strides, std::uint64_t address = 4096) {
  const auto result = placed(shape, strides, false, address);
  if (result) return "";
  EXPECT_EQ(result.error().code, ErrorCode::kSubmission);
  return result.error().message;
}

TEST(PlacedOutput, WhatLiesInARowHasItsOrder) {
  const auto plain = placed({2, 3}, {3, 1});
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->in_a_row);
  EXPECT_EQ(plain->order, 0U);
  EXPECT_EQ(plain->bytes, 24U);
  const auto transposed = placed({2, 3}, {1, 2});
  ASSERT_TRUE(transposed);
  EXPECT_TRUE(transposed->in_a_row);
  EXPECT_EQ(outermost_first(transposed->order, 2), (std::vector<std::int64_t>{1, 0}));
  const auto channels_last = placed({2, 3, 1, 4}, {12, 1, 12, 3});
  ASSERT_TRUE(channels_last);
  EXPECT_TRUE(channels_last->in_a_row);
  const auto order = outermost_first(channels_last->order, 4);
  ASSERT_TRUE(order) << "a permutation";
  // The place of a dimension with one element says nothing.
  std::vector<std::int64_t> telling;
  std::copy_if(order->begin(), order->end(), std::back_inserter(telling),
               [](std::int64_t dimension) { return dimension != 2; });
  EXPECT_EQ(telling, (std::vector<std::int64_t>{0, 3, 1}));
}

TEST(PlacedOutput, GapsAreReadAsWell) {
  const auto gaps = placed({2, 3}, {8, 2});
  ASSERT_TRUE(gaps);
  EXPECT_FALSE(gaps->in_a_row);
  EXPECT_EQ(gaps->bytes, (8U + 4 + 1) * 4);
  EXPECT_EQ(gaps->address_of(0, {2, 3}), 4096U);
  EXPECT_EQ(gaps->address_of(4, {2, 3}), 4096U + (8 + 2) * 4);
}

TEST(PlacedOutput, NumbersAndEmptyOnesArePlaces) {
  EXPECT_EQ(placed({}, {})->bytes, 4U);
  EXPECT_EQ(placed({3, 0}, {0, 1})->bytes, 0U);
  EXPECT_EQ(placed({1, 1}, {77, -5})->bytes, 4U) << "the strides of one element say nothing";
}

TEST(PlacedOutput, WhatLiesOnItselfIsNoneUnlessEagersMay) {
  for (const Shape& strides : {Shape{0, 1}, Shape{1, 1}, Shape{2, 1}, Shape{3, 0}}) {
    EXPECT_NE(words_for({2, 3}, strides).find("lies on itself"), std::string::npos);
    EXPECT_TRUE(placed({2, 3}, strides, true));
  }
}

TEST(PlacedOutput, NoMemoryIsThatLarge) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  for (const Shape& strides : {Shape{kFar, 1}, Shape{-1, 1}, Shape{3, kFar}, Shape{kFar, kFar}})
    EXPECT_NE(words_for({2, 3}, strides).find("no memory that there can be"), std::string::npos);
  EXPECT_NE(words_for({2, 3}, {3, 1}, ~std::uint64_t{0} - 8).find("no memory"), std::string::npos);
  EXPECT_NE(words_for({2, 3}, {std::int64_t{1} << 30, 1}).find("in gaps"), std::string::npos);
}

bool apart(const Shape& a_shape, std::uint64_t a, const Shape& b_shape, std::uint64_t b,
           const Shape& strides) {
  const auto first = placed(a_shape, strides, false, 4096 + 4 * a);
  const auto second = placed(b_shape, strides, false, 4096 + 4 * b);
  EXPECT_TRUE(first && second);
  const bool one_way = overlap(*first, a_shape, *second, b_shape);
  EXPECT_EQ(one_way, overlap(*second, b_shape, *first, a_shape));
  return !one_way;
}

// All slices of a matrix of six rows of ten, held against a count of the elements in common.
TEST(PlacedOutput, SlicesOfOneTensorAreToldApart) {
  struct Slice {
    std::int64_t row, rows, column, columns;
  };
  std::vector<Slice> slices;
  for (std::int64_t row : {0, 1, 3})
    for (std::int64_t rows : {2, 3})
      for (std::int64_t column : {0, 2, 5})
        for (std::int64_t columns : {2, 4, 5}) slices.push_back({row, rows, column, columns});
  const auto in_common = [](std::int64_t a, std::int64_t n, std::int64_t b, std::int64_t m) {
    return std::max<std::int64_t>(0, std::min(a + n, b + m) - std::max(a, b));
  };
  for (const Slice& a : slices)
    for (const Slice& b : slices) {
      const bool expected = in_common(a.row, a.rows, b.row, b.rows) *
                                in_common(a.column, a.columns, b.column, b.columns) ==
                            0;
      EXPECT_EQ(
          apart({a.rows, a.columns}, static_cast<std::uint64_t>(10 * a.row + a.column),
                {b.rows, b.columns}, static_cast<std::uint64_t>(10 * b.row + b.column), {10, 1}),
          expected)
          << a.row << " " << a.column << " and " << b.row << " " << b.column;
    }
}

TEST(PlacedOutput, InADimensionOfOneElementTheStrideSaysNothing) {
  EXPECT_FALSE(apart({1, 8}, 0, {1, 8}, 5, {2, 1})) << "three elements in common";
  EXPECT_TRUE(apart({1, 8}, 0, {1, 8}, 8, {2, 1}));
}

}  // namespace
}  // namespace kbench
