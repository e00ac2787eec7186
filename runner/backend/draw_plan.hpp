// A tensor's values to draw, resolved from a TensorSpec into numbers that host and device kernels
// share: made once on the host, checked there, then passed by value to what fills it.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/backend/philox.hpp"
#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct DrawPlan {
  Draw::Kind kind = Draw::Kind::kConstant;
  DType dtype = DType::kFloat32;
  std::uint64_t elements = 0;
  PhiloxStream stream;
  // Uniform: start, length, and largest value. Normal: mean and standard deviation in the first
  // two. Constant, floating: the value in the first. float64 tensors hold widened float32 values.
  float a = 0;
  float span = 0;
  float last = 0;
  // Integers: smallest value; constant, integer: the value; hard kinds: 1 where none is negative.
  std::int64_t base = 0;
  std::uint64_t count = 0;  // integers: how many values; bernoulli: probability times 2^32
  std::int64_t step = 1;    // integers: from one value to the next
  Draw::Keep keep = Draw::Keep::kAll;
  std::uint64_t rows = 1;  // rows of one matrix: tril, triu, and where a part is kept
  std::uint64_t columns = 1;
  std::int64_t diagonal = 0;
};

// Errors: kBadInput, naming the tensor, for a draw that its dtype or shape cannot hold. kData has
// no plan; see stored_values.
[[nodiscard]] Result<DrawPlan> plan_draw(const TensorSpec& tensor, DrawKey key);

// The bytes of a tensor whose values are stored in the task file. Errors: kBadInput.
[[nodiscard]] Result<std::vector<std::byte>> stored_values(const TensorSpec& tensor);

// Kinds whose values are made as float32 and then stored in the tensor's dtype.
[[nodiscard]] inline bool is_made_as_float(Draw::Kind kind, DType dtype) {
  switch (kind) {
    case Draw::Kind::kUniform:
    case Draw::Kind::kNormal:
    case Draw::Kind::kWide:
    case Draw::Kind::kSignedZeros:
    case Draw::Kind::kDenormals:
    case Draw::Kind::kSpikes: return true;
    case Draw::Kind::kConstant: return is_floating(dtype);
    case Draw::Kind::kIntegers:
    case Draw::Kind::kBernoulli:
    case Draw::Kind::kTril:
    case Draw::Kind::kTriu:
    case Draw::Kind::kData: return false;
  }
  return false;
}

// One on and below (tril) or on and above (triu) the diagonal, else zero.
KB_HD std::int64_t triangle_value(bool lower, std::int64_t row, std::int64_t column,
                                  std::int64_t diagonal) {
  const std::int64_t distance = column - row;
  return (lower ? distance <= diagonal : distance >= diagonal) ? 1 : 0;
}

// Whether `element` of a tensor that keeps one side of a diagonal is on that side.
KB_HD bool is_kept(const DrawPlan& plan, std::uint64_t element) {
  const auto row = static_cast<std::int64_t>(element / plan.columns % plan.rows);
  const auto column = static_cast<std::int64_t>(element % plan.columns);
  return triangle_value(plan.keep == Draw::Keep::kLower, row, column, plan.diagonal) != 0;
}

}  // namespace kbench
