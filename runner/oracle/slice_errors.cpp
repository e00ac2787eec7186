#include "runner/oracle/slice_errors.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include "runner/verify/acceptance.hpp"

namespace kbench {
namespace {

constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 24;
constexpr std::int64_t kLeastElements = 16;
constexpr std::int64_t kLeastElementsOfAPair = 256;

// Sums by slice of one dimension, over the rows that were added so far.
struct Sums {
  std::int64_t dimension = 0;
  at::Tensor error;
  at::Tensor square;  // squares of the reference
};

// Indices of dimension 0 are what rows are: each is a slice of its own, or several.
void add_rows(const at::Tensor& rows, std::int64_t first, std::int64_t dimension,
              const at::Tensor& sums) {
  const bool of_pairs = dimension == kFirstTwoDimensions;
  std::vector<std::int64_t> others;
  for (std::int64_t d = of_pairs ? 2 : 0; d < rows.dim(); ++d)
    if (d != dimension) others.push_back(d);
  const at::Tensor sum = rows.sum(others);
  (dimension == 0 || of_pairs ? sums.narrow(0, first, rows.size(0)) : sums).add_(sum);
}

Sums no_sums(const at::Tensor& reference, std::int64_t dimension) {
  const auto options = reference.options().dtype(at::kDouble);
  std::vector<std::int64_t> shape{reference.size(dimension == kFirstTwoDimensions ? 0 : dimension)};
  if (dimension == kFirstTwoDimensions) shape.push_back(reference.size(1));
  return {dimension, at::zeros(shape, options), at::zeros(shape, options)};
}

std::vector<double> to_vector(const at::Tensor& of_device) {
  const at::Tensor here = of_device.cpu().contiguous();
  const double* data = here.const_data_ptr<double>();
  return {data, data + here.numel()};
}

double largest_part(const at::Tensor& error, const at::Tensor& reference, double rms) {
  if (!(rms > 0) || error.numel() == 0) return 0;
  return error.abs().div_(reference.abs().clamp_min_(rms)).max().item<double>();
}

}  // namespace

std::vector<std::int64_t> sliced_dimensions(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  std::vector<std::int64_t> dimensions;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && elements / shape[d] >= kLeastElements)
      dimensions.push_back(static_cast<std::int64_t>(d));
  if (shape.size() > 2 && shape[0] > 1 && shape[1] > 1 &&
      elements / shape[0] / shape[1] >= kLeastElementsOfAPair)
    dimensions.push_back(kFirstTwoDimensions);
  return dimensions;
}

SliceErrors slice_errors(const at::Tensor& got, const at::Tensor& reference, double rms) {
  SliceErrors errors;
  if (reference.dim() == 0) return slice_errors(got.reshape({1}), reference.reshape({1}), rms);
  const std::int64_t rows = reference.size(0);
  if (reference.numel() == 0) return errors;
  std::vector<Sums> sums;
  for (const std::int64_t d : sliced_dimensions(reference.sizes().vec()))
    sums.push_back(no_sums(reference, d));
  double product = 0;  // sum of products of error and reference
  double all_squares = 0;
  const std::int64_t step = std::max<std::int64_t>(
      1, kElementsAtOnce / std::max<std::int64_t>(1, reference.numel() / rows));
  for (std::int64_t first = 0; first < rows; first += step) {
    const std::int64_t count = std::min(step, rows - first);
    const at::Tensor wanted = reference.narrow(0, first, count).to(at::kDouble).nan_to_num(0, 0, 0);
    const at::Tensor error = got.narrow(0, first, count)
                                 .to(at::kDouble)
                                 .sub_(reference.narrow(0, first, count))
                                 .nan_to_num_(0, 0, 0);
    errors.scaled = std::max(errors.scaled, largest_part(error, wanted, rms));
    const at::Tensor square = wanted.square();
    product += error.mul(wanted).sum().item<double>();
    all_squares += square.sum().item<double>();
    for (const Sums& of : sums) {
      add_rows(error, first, of.dimension, of.error);
      add_rows(square, first, of.dimension, of.square);
    }
  }
  for (const Sums& of : sums) {
    const auto elements = static_cast<double>(reference.numel() / of.error.numel());
    errors.means.push_back({of.dimension, to_vector(of.error.div(elements)),
                            to_vector(of.square.div(elements).sqrt())});
  }
  if (all_squares > 0) errors.means.push_back({kWholeOutput, {product / all_squares * rms}, {rms}});
  return errors;
}

void add_slice_errors(const SliceErrors& errors, EagerError& error) {
  error.scaled_error = errors.scaled;
  for (const SliceMeans& slices : errors.means) {
    double largest = 0;
    for (const double mean : slices.error) largest = std::max(largest, std::abs(mean));
    // That of the whole output is one number, and no largest of many: half of the margin will do.
    error.slice_errors.push_back(slices.dimension == kWholeOutput ? largest / 2 : largest);
  }
}

void judge_slices(const SliceErrors& errors, const OutputBound& bound, CompareResult& result) {
  for (std::size_t d = 0; d < std::min(errors.means.size(), bound.slices.size()); ++d) {
    const SliceMeans& slices = errors.means[d];
    for (std::size_t i = 0; i < slices.error.size(); ++i) {
      const double scale = std::max(slices.rms[i], bound.rms);
      const double allowed = bound.slices[d] + bound.slice_roundoff * scale;
      const double off = std::abs(slices.error[i]);
      // Where all is zero nothing is allowed, and the elements have said so.
      const double share = allowed > 0 ? off / allowed : 0;
      if (share <= result.slice_share) continue;
      result.slice_share = share;
      result.slice_error = slices.error[i];
      result.slice_dimension = static_cast<std::uint64_t>(slices.dimension);
      result.slice_index = i;
    }
  }
}

}  // namespace kbench
