// Work of operators that name elements anew, pick from them or put them side by side.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runner/task/operator_work.hpp"

namespace kbench {
namespace {

OperatorWork view(Extents shape, const WorkTensor& of, bool dense) {
  WorkTensor result{std::move(shape), of.bytes, dense};
  const double elements = std::min(result.elements(), of.elements());
  return {.results = {std::move(result)}, .reads = {elements}, .moves = false};
}

// A view where memory allows it, else a copy.
OperatorWork reshaped(Extents shape, const WorkTensor& x) {
  std::int64_t known = 1;
  for (const std::int64_t extent : shape) known *= extent == -1 ? 1 : extent;
  for (std::int64_t& extent : shape)
    if (extent == -1) extent = known > 0 ? static_cast<std::int64_t>(x.elements()) / known : 0;
  if (elements_of(shape) != x.elements()) throw Uncounted("a shape of another size");
  OperatorWork work = view(std::move(shape), x, true);
  work.moves = !x.dense;
  return work;
}

OperatorWork reshape(const OperatorCall& call) {
  return reshaped(call.integers(1), call.tensor(0));
}

OperatorWork like_other(const OperatorCall& call) {
  OperatorWork work = reshaped(call.tensor(1).shape, call.tensor(0));
  work.reads.push_back(0);
  return work;
}

OperatorWork flatten(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t from = call.dimension(1, x.shape.size());
  const std::size_t to = call.dimension(2, x.shape.size());
  Extents shape(x.shape.begin(), x.shape.begin() + static_cast<long>(from));
  std::int64_t joined = 1;
  for (std::size_t i = from; i <= to && i < x.shape.size(); ++i) joined *= x.shape[i];
  shape.push_back(joined);
  for (std::size_t i = to + 1; i < x.shape.size(); ++i) shape.push_back(x.shape[i]);
  return reshaped(std::move(shape), x);
}

OperatorWork ravel(const OperatorCall& call) { return reshaped({-1}, call.tensor(0)); }

OperatorWork unflatten(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(1, x.shape.size());
  Extents shape = x.shape;
  Extents parts = call.integers(2);
  std::int64_t known = 1;
  for (const std::int64_t part : parts) known *= part == -1 ? 1 : part;
  for (std::int64_t& part : parts)
    if (part == -1 && known > 0) part = shape.at(dim) / known;
  const auto at = shape.erase(shape.begin() + static_cast<long>(dim));
  shape.insert(at, parts.begin(), parts.end());
  OperatorWork work = reshaped(std::move(shape), x);
  work.moves = false;
  work.results.front().dense = x.dense;
  return work;
}

OperatorWork permute(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  Extents shape;
  bool moved = false;
  for (std::int64_t dim : call.integers(1)) {
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) throw Uncounted("a dimension that is not there");
    moved = moved || dim != static_cast<std::int64_t>(shape.size());
    shape.push_back(x.shape[static_cast<std::size_t>(dim)]);
  }
  return view(std::move(shape), x, x.dense && !moved);
}

OperatorWork transpose(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  Extents shape = x.shape;
  const std::size_t rank = shape.size();
  const std::string name = call.name();
  if (name == "numpy_T") {
    std::reverse(shape.begin(), shape.end());
  } else if (name == "t" || name == "mT" || name == "mH" || name == "adjoint") {
    if (rank >= 2) std::swap(shape[rank - 2], shape[rank - 1]);
  } else {
    std::swap(shape.at(call.dimension(1, rank)), shape.at(call.dimension(2, rank)));
  }
  return view(std::move(shape), x, x.dense && shape == x.shape);
}

// -1: as it is.
Extents expanded(const Extents& from, Extents to) {
  for (std::size_t i = 1; i <= to.size(); ++i) {
    std::int64_t& extent = to[to.size() - i];
    if (extent == -1) extent = i <= from.size() ? from[from.size() - i] : 0;
  }
  return to;
}

OperatorWork expand(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  return view(expanded(x.shape, call.integers(1)), x, false);
}

OperatorWork expand_as(const OperatorCall& call) {
  OperatorWork work = view(call.tensor(1).shape, call.tensor(0), false);
  work.reads.push_back(0);
  return work;
}

OperatorWork broadcast_tensors(const OperatorCall& call) {
  const auto tensors = call.tensors(0);
  Extents shape;
  for (const WorkTensor& one : tensors) shape = broadcast(shape, one.shape);
  OperatorWork work{.moves = false};
  for (const WorkTensor& one : tensors)
    work.results.push_back({shape, one.bytes, shape == one.shape});
  return work;
}

OperatorWork squeeze(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  std::vector<bool> asked(x.shape.size(), !call.is_given(1));
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  for (std::int64_t dim : call.integers(1)) {
    if (dim < 0) dim += rank;
    if (dim >= 0 && dim < rank) asked[static_cast<std::size_t>(dim)] = true;
  }
  Extents shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    if (!asked[i] || x.shape[i] != 1) shape.push_back(x.shape[i]);
  return view(std::move(shape), x, x.dense);
}

OperatorWork unsqueeze(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  Extents shape = x.shape;
  shape.insert(shape.begin() + static_cast<long>(call.dimension(1, shape.size() + 1)), 1);
  return view(std::move(shape), x, x.dense);
}

// Whether only the outermost dimensions are cut: what is left lies side by side.
bool is_whole_below(const Extents& shape, std::size_t dim) {
  return std::all_of(shape.begin(), shape.begin() + static_cast<long>(dim),
                     [](std::int64_t extent) { return extent == 1; });
}

std::int64_t bounded(std::int64_t index, std::int64_t extent) {
  return std::clamp<std::int64_t>(index < 0 ? index + extent : index, 0, extent);
}

OperatorWork slice(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(1, x.shape.size());
  Extents shape = x.shape;
  std::int64_t& extent = shape.at(dim);
  const std::int64_t from = bounded(call.is_given(2) ? call.integer(2) : 0, extent);
  const std::int64_t to = bounded(
      call.is_given(3) ? call.integer(3) : std::numeric_limits<std::int64_t>::max() / 2, extent);
  const std::int64_t step = call.integer(4);
  if (step < 1) throw Uncounted("a step that is none");
  extent = to > from ? (to - from + step - 1) / step : 0;
  const bool all = shape == x.shape;
  return view(shape, x, x.dense && (all || (step == 1 && is_whole_below(x.shape, dim))));
}

OperatorWork narrow(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(1, x.shape.size());
  Extents shape = x.shape;
  shape.at(dim) = call.integer(3);
  return view(shape, x, x.dense && is_whole_below(x.shape, dim));
}

OperatorWork select(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(1, x.shape.size());
  Extents shape = x.shape;
  if (shape.empty()) throw Uncounted("no dimensions");
  shape.erase(shape.begin() + static_cast<long>(dim));
  return view(std::move(shape), x, x.dense && is_whole_below(x.shape, dim));
}

OperatorWork in_parts(const WorkTensor& x, std::size_t dim, const Extents& lengths, bool drop) {
  OperatorWork work{.moves = false, .parts = true};
  for (const std::int64_t length : lengths) {
    WorkTensor part{x.shape, x.bytes, x.dense && is_whole_below(x.shape, dim)};
    part.shape.at(dim) = length;
    if (drop) part.shape.erase(part.shape.begin() + static_cast<long>(dim));
    work.results.push_back(std::move(part));
  }
  return work;
}

OperatorWork split(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(2, x.shape.size());
  if (call.name() == "split_with_sizes" || call.node().overload == "sizes")
    return in_parts(x, dim, call.integers(1), false);
  std::int64_t length = call.integer(1);
  std::int64_t left = x.shape.at(dim);
  if (length < 1) throw Uncounted("no length");
  if (call.name() == "chunk") length = std::max<std::int64_t>((left + length - 1) / length, 1);
  Extents lengths;
  for (; left > 0 && lengths.size() < call.results(); left -= length)
    lengths.push_back(std::min(left, length));
  return in_parts(x, dim, lengths, false);
}

OperatorWork unbind(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  return in_parts(x, call.dimension(1, x.shape.size()), Extents(call.results(), 1), true);
}

// (x, dim, size, step): windows as a last dimension.
OperatorWork unfold(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const std::size_t dim = call.dimension(1, x.shape.size());
  Extents shape = x.shape;
  const Window window{
      .extent = shape.at(dim), .kernel = call.integer(2), .stride = call.integer(3)};
  shape[dim] = window.places();
  shape.push_back(window.kernel);
  OperatorWork work = view(std::move(shape), x, false);
  work.reads = {x.elements() / static_cast<double>(std::max<std::int64_t>(window.extent, 1)) *
                window.touched()};
  return work;
}

OperatorWork contiguous(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  OperatorWork work = view(x.shape, x, true);
  work.moves = !x.dense;
  return work;
}

OperatorWork same_view(const OperatorCall& call) {
  return view(call.tensor(0).shape, call.tensor(0), call.tensor(0).dense);
}

// --- side by side ---

OperatorWork cat(const OperatorCall& call) {
  const auto tensors = call.tensors(0);
  WorkTensor result{tensors.front().shape, tensors.front().bytes};
  const std::size_t dim = call.dimension(1, result.shape.size());
  std::int64_t extent = 0;
  for (const WorkTensor& one : tensors) {
    if (one.shape.size() != result.shape.size()) throw Uncounted("tensors of other dimensions");
    extent += one.shape.at(dim);
  }
  result.shape.at(dim) = extent;
  return {.results = {std::move(result)}};
}

OperatorWork stack(const OperatorCall& call) {
  const auto tensors = call.tensors(0);
  WorkTensor result{tensors.front().shape, tensors.front().bytes};
  const auto at = static_cast<long>(call.dimension(1, result.shape.size() + 1));
  result.shape.insert(result.shape.begin() + at, static_cast<std::int64_t>(tensors.size()));
  return {.results = {std::move(result)}};
}

// (x, [last low, last high, second last low, …], …): negative ones cut.
OperatorWork pad(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const Extents by = call.integers(1);
  WorkTensor result{x.shape, x.bytes};
  double read = x.elements();
  if (by.size() % 2 != 0 || by.size() / 2 > x.shape.size()) throw Uncounted("no such padding");
  for (std::size_t i = 0; i < by.size(); ++i) {
    std::int64_t& extent = result.shape[x.shape.size() - 1 - i / 2];
    const auto before = static_cast<double>(x.shape[x.shape.size() - 1 - i / 2]);
    extent += by[i];
    if (by[i] < 0 && before > 0) read *= (before + static_cast<double>(by[i])) / before;
  }
  return {.results = {std::move(result)}, .reads = {std::max(read, 0.0)}};
}

OperatorWork repeat(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  Extents times = call.integers(1);
  Extents shape = x.shape;
  while (times.size() < shape.size()) times.insert(times.begin(), 1);  // tile
  while (shape.size() < times.size()) shape.insert(shape.begin(), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] *= times[i];
  return {.results = {{std::move(shape), x.bytes}}};
}

// --- picking by data: which elements is for the indices to say ---

OperatorWork embedding(const OperatorCall& call) {
  const WorkTensor& table = call.tensor(0);
  WorkTensor result{call.tensor(1).shape, table.bytes};
  if (table.shape.size() != 2) throw Uncounted("no table of rows");
  result.shape.push_back(table.shape.back());
  return {.results = {std::move(result)}, .reads = {0}};
}

OperatorWork gather(const OperatorCall& call) {
  return {.results = {{call.tensor(2).shape, call.tensor(0).bytes}}, .reads = {0}};
}

OperatorWork index_select(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  WorkTensor result{x.shape, x.bytes};
  result.shape.at(call.dimension(1, x.shape.size())) =
      static_cast<std::int64_t>(call.tensor(2).elements());
  return {.results = {std::move(result)}, .reads = {0}};
}

// (x, [indices]): of the first dimensions.
OperatorWork index(const OperatorCall& call) {
  const WorkTensor& x = call.tensor(0);
  const auto indices = call.tensors(1);
  const auto* list = std::get_if<GraphList>(&call.node().args.at(1).value);
  if (list == nullptr || list->size() != indices.size() || indices.size() > x.shape.size())
    throw Uncounted("indices of some dimensions only");
  Extents shape;
  for (const WorkTensor& one : indices) {
    if (one.bytes == 1) throw Uncounted("a mask for indices");
    shape = broadcast(shape, one.shape);
  }
  shape.insert(shape.end(), x.shape.begin() + static_cast<long>(indices.size()), x.shape.end());
  return {.results = {{std::move(shape), x.bytes}}, .reads = {0}};
}

}  // namespace

CountOperator find_view(const std::string& name) {
  static const std::map<std::string, CountOperator> kClasses{
      {"view", reshape},
      {"reshape", reshape},
      {"view_as", like_other},
      {"reshape_as", like_other},
      {"flatten", flatten},
      {"ravel", ravel},
      {"unflatten", unflatten},
      {"permute", permute},
      {"transpose", transpose},
      {"swapaxes", transpose},
      {"swapdims", transpose},
      {"t", transpose},
      {"numpy_T", transpose},
      {"mT", transpose},
      {"mH", transpose},
      {"adjoint", transpose},
      {"expand", expand},
      {"broadcast_to", expand},
      {"expand_as", expand_as},
      {"broadcast_tensors", broadcast_tensors},
      {"squeeze", squeeze},
      {"unsqueeze", unsqueeze},
      {"slice", slice},
      {"narrow", narrow},
      {"select", select},
      {"split", split},
      {"split_with_sizes", split},
      {"chunk", split},
      {"unbind", unbind},
      {"unfold", unfold},
      {"contiguous", contiguous},
      {"alias", same_view},
      {"detach", same_view},
      {"lift_fresh_copy", same_view},
      {"cat", cat},
      {"concat", cat},
      {"concatenate", cat},
      {"stack", stack},
      {"pad", pad},
      {"constant_pad_nd", pad},
      {"repeat", repeat},
      {"tile", repeat},
      {"embedding", embedding},
      {"gather", gather},
      {"index_select", index_select},
      {"index", index},
  };
  const auto found = kClasses.find(name);
  return found == kClasses.end() ? nullptr : found->second;
}

}  // namespace kbench
