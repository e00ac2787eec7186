// Where an output lies by its player's word, held against the tensor that it has to be. Pure. The
// word may be anything: what is accepted here has a size that is bounded, and no two of its
// elements lie in one place, unless eager's do as well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/output_order.hpp"
#include "runner/task/task.hpp"
#include "runner/worker/output_place.hpp"

namespace kbench {

struct PlacedOutput {
  std::uint64_t address = 0;          // address of its first byte
  std::uint64_t bytes = 0;            // up to its last one, gaps included
  std::vector<std::int64_t> strides;  // elements, one number a dimension
  std::uint64_t element_bytes = 0;
  bool in_a_row = true;   // no gaps
  OutputOrder order = 0;  // order of the dimensions, where they lie in a row

  // Address of the element that is the n-th of the task's shape.
  [[nodiscard]] std::uint64_t address_of(std::uint64_t element,
                                         const std::vector<std::int64_t>& shape) const;
};

// The output's place, checked. Errors: kSubmission, with words for its author; `may_share`: eager's
// may lie in memory of something else, or on itself.
[[nodiscard]] Result<PlacedOutput> placed_output(const OutputPlace& place, const TensorSpec& output,
                                                 bool may_share);

// Whether an element of the one lies where an element of the other does. Slices of one tensor, with
// the same strides, are told apart; of others, whether one lies between the ends of the other.
[[nodiscard]] bool overlap(const PlacedOutput& a, const std::vector<std::int64_t>& a_shape,
                           const PlacedOutput& b, const std::vector<std::int64_t>& b_shape);

}  // namespace kbench
