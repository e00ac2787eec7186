#include "runner/run/lane_examination.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"
#include "runner/plan/lane_cores.hpp"

namespace kbench {
namespace {

// "0-3,8"; of ascending numbers.
std::string ranges(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += last == i ? fmt::format("{}", cores[i]) : fmt::format("{}-{}", cores[i], cores[last]);
    i = last + 1;
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::optional<Finding> find_lanes(const std::vector<GpuInfo>& gpus, const std::vector<int>& usable,
                                  const std::filesystem::path& topology) {
  if (gpus.size() < 2) return std::nullopt;
  const std::vector<LaneCores> lanes = lane_cores(gpus, usable, topology);
  std::string text = fmt::format("{} for {} GPUs", lanes.size(), gpus.size());
  for (const LaneCores& lane : lanes)
    text += fmt::format("; cuda:{} on cores {}", lane.gpu.index, ranges(lane.cores));
  text += fmt::format("; left for compilers: {}", ranges(builders_cores(lanes, usable)));
  if (lanes.size() == gpus.size()) return Finding{"lanes", Health::kPass, std::move(text), ""};
  return Finding{"lanes", Health::kCaution, std::move(text),
                 fmt::format("a lane has {} physical cores near its GPU that no other lane has: "
                             "give this process more cores, or name fewer GPUs (--devices)",
                             kFewestLaneCores)};
}

void add_lanes(std::vector<Finding>& findings) {
  if (auto lanes = find_lanes(probe_gpus(), usable_cores())) findings.push_back(std::move(*lanes));
}

}  // namespace kbench
