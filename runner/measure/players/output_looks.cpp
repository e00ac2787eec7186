#include "runner/measure/players/output_looks.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr std::uint64_t kLooks = 64;

}  // namespace

OutputLooks::OutputLooks(const std::vector<TensorSpec>& outputs) {
  std::uint64_t counted = 0;
  for (const TensorSpec& output : outputs) ends_.push_back(counted += output.bytes());
}

OutputLook OutputLooks::at(std::uint64_t counted) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), counted);
  const std::uint64_t start = end == ends_.begin() ? 0 : *(end - 1);
  return {static_cast<std::size_t>(end - ends_.begin()), counted - start};
}

std::vector<OutputLook> OutputLooks::draw() {
  const std::uint64_t all = ends_.empty() ? 0 : ends_.back();
  std::vector<OutputLook> looks;
  for (std::uint64_t i = 0; i < std::min(all, kLooks); ++i)
    looks.push_back(at(all <= kLooks ? i : random_() % all));
  return looks;
}

}  // namespace kbench
