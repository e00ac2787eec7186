// Poolings and resampling: what slides a window along the last dimensions.
#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "runner/task/operator_work.hpp"

namespace kbench {

std::int64_t Window::places() const {
  if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0) throw Uncounted("no such window");
  const std::int64_t left = extent + 2 * padding - dilation * (kernel - 1) - 1;
  if (left < 0) throw Uncounted("a window larger than what it slides along");
  std::int64_t places = (left + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (places - 1) * stride >= extent + padding) --places;
  return places;
}

double Window::touched() const {
  const std::int64_t count = places();
  if (dilation == 1 && stride <= kernel)  // no gaps
    return static_cast<double>(
        std::clamp<std::int64_t>((count - 1) * stride + kernel - padding, 0, extent));
  std::vector<bool> seen(static_cast<std::size_t>(extent), false);
  for (std::int64_t place = 0; place < count; ++place) {
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      const std::int64_t at = place * stride - padding + tap * dilation;
      if (at >= 0 && at < extent) seen[static_cast<std::size_t>(at)] = true;
    }
  }
  return static_cast<double>(std::count(seen.begin(), seen.end(), true));
}

namespace {

int trailing_digit(const std::string& name) {
  for (const char* dims : {"1d", "2d", "3d"})
    if (name.find(dims) != std::string::npos) return dims[0] - '0';
  throw Uncounted("no dimensions in its name");
}

// (x, kernel, stride, padding, dilation, ceil) for maxima, (x, kernel, stride, padding, ceil, …)
// for averages.
OperatorWork pool(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto dims = static_cast<std::size_t>(trailing_digit(call.name()));
  if (x.shape.size() < dims) throw Uncounted("too few dimensions");
  const bool maximum = call.name().starts_with("max");
  const Extents kernel = call.by_dimension(1, dims, 1);
  Extents stride = call.integers(2);
  stride = stride.empty() ? kernel : call.by_dimension(2, dims, 1);
  const Extents padding = call.by_dimension(3, dims, 0);
  const Extents dilation = maximum ? call.by_dimension(4, dims, 1) : Extents(dims, 1);
  WorkTensor result{x.shape, x.bytes};
  double read = elements_of(Extents(x.shape.begin(), x.shape.end() - static_cast<long>(dims)));
  for (std::size_t i = 0; i < dims; ++i) {
    std::int64_t& extent = result.shape[x.shape.size() - dims + i];
    const Window window{.extent = extent,
                        .kernel = kernel[i],
                        .stride = stride[i],
                        .padding = padding[i],
                        .dilation = dilation[i],
                        .ceil = call.flag(maximum ? 5 : 4)};
    read *= window.touched();
    extent = window.places();
  }
  return {.results = {result, {result.shape, 8}}, .reads = {read}};
}

OperatorWork adaptive_pool(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto dims = static_cast<std::size_t>(trailing_digit(call.name()));
  if (x.shape.size() < dims) throw Uncounted("too few dimensions");
  const Extents wanted = call.by_dimension(1, dims, 1);
  WorkTensor result{x.shape, x.bytes};
  std::copy(wanted.begin(), wanted.end(), result.shape.end() - static_cast<long>(dims));
  return {.results = {result, {result.shape, 8}}};
}

// (x, sizes, …, factors): one of the two is given.
OperatorWork upsample(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto dims = static_cast<std::size_t>(trailing_digit(call.name()));
  if (x.shape.size() != dims + 2) throw Uncounted("other dimensions than channels have");
  WorkTensor result{x.shape, x.bytes};
  if (call.is_given(1)) {
    const Extents wanted = call.by_dimension(1, dims, 1);
    std::copy(wanted.begin(), wanted.end(), result.shape.begin() + 2);
    return {.results = {result}};
  }
  const auto* factors = std::get_if<GraphList>(&call.node().args.back().value);
  if (factors == nullptr || factors->size() != dims) throw Uncounted("no size");
  for (std::size_t i = 0; i < dims; ++i) {
    const auto factor = (*factors)[i].number();
    if (!factor) throw Uncounted("no factor");
    std::int64_t& extent = result.shape[i + 2];
    extent = static_cast<std::int64_t>(static_cast<double>(extent) * *factor);
  }
  return {.results = {result}};
}

OperatorWork pixel_shuffle(const OperatorCall& call) {
  WorkTensor x = call.tensor(0);
  const std::int64_t factor = call.integer(1);
  const std::size_t rank = x.shape.size();
  if (rank < 3 || factor < 1) throw Uncounted("no channels");
  const bool back = call.name() == "pixel_unshuffle";
  std::int64_t& channels = x.shape[rank - 3];
  channels = back ? channels * factor * factor : channels / (factor * factor);
  for (const std::size_t dim : {rank - 2, rank - 1})
    x.shape[dim] = back ? x.shape[dim] / factor : x.shape[dim] * factor;
  x.dense = true;
  return {.results = {x}};
}

}  // namespace

CountOperator find_window(const std::string& name) {
  static const std::map<std::string, CountOperator> kClasses = [] {
    std::map<std::string, CountOperator> classes;
    for (const std::string dims : {"1d", "2d", "3d"}) {
      for (const char* kind : {"max_pool", "avg_pool"}) classes[kind + dims] = pool;
      classes["max_pool" + dims + "_with_indices"] = pool;
      for (const char* kind : {"adaptive_avg_pool", "adaptive_max_pool"})
        classes[kind + dims] = adaptive_pool;
      classes["upsample_nearest" + dims] = upsample;
      classes["_upsample_nearest_exact" + dims] = upsample;
    }
    for (const char* one :
         {"upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d"})
      classes[one] = upsample;
    classes["pixel_shuffle"] = classes["pixel_unshuffle"] = pixel_shuffle;
    return classes;
  }();
  const auto found = kClasses.find(name);
  return found == kClasses.end() ? nullptr : found->second;
}

}  // namespace kbench
