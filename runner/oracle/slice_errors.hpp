// Errors of an output beside its reference that a comparison element by element does not tell: as
// parts of the elements' size, and signed: as means over slices, and as a factor of the whole
// output. A slice is all elements with one index in one dimension, or in each of the first two.
// Everything is summed in double, some rows at a time, so that no copy of a large output is made.
// LibTorch stays in the .cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/verify/acceptance.hpp"

namespace at {
class Tensor;
}

namespace kbench {

// Dimensions whose slices are looked at: there are two at least, of 16 elements or more, as the
// noise of a mean of fewer is not much less than an element's. kFirstTwoDimensions follows where
// there are others and both have several indices; such slices have 256 elements at least.
[[nodiscard]] std::vector<std::int64_t> sliced_dimensions(const std::vector<std::int64_t>& shape);

// Mean errors by slice of one dimension, and the root mean square of the reference there. Of
// kFirstTwoDimensions the slices stand in the order of the indices; kWholeOutput has one.
struct SliceMeans {
  std::int64_t dimension = 0;
  std::vector<double> error;
  std::vector<double> rms;
};

struct SliceErrors {
  double scaled = 0;  // the largest error over max(|reference|, rms); 0 for an rms of 0
  std::vector<SliceMeans> means;
};

// Errors of two tensors of one shape. Elements that are not finite in both count as equal: the
// comparison has them. Throws what LibTorch throws.
[[nodiscard]] SliceErrors slice_errors(const at::Tensor& got, const at::Tensor& reference,
                                       double rms);

// Adds eager's own errors by slice to what its comparison says.
void add_slice_errors(const SliceErrors& errors, EagerError& error);

// The slice that is the farthest off for what the bound allows, as the result has it.
void judge_slices(const SliceErrors& errors, const OutputBound& bound, CompareResult& result);

}  // namespace kbench
