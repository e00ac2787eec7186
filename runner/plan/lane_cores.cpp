#include "runner/plan/lane_cores.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "runner/plan/core_share.hpp"

namespace kbench {
namespace {

// Cores of `usable` that are near the GPU; all where none is.
std::vector<int> near_ones(const GpuInfo& gpu, const std::vector<int>& usable) {
  std::vector<int> both;
  std::set_intersection(usable.begin(), usable.end(), gpu.near_cores.begin(), gpu.near_cores.end(),
                        std::back_inserter(both));
  return both.empty() ? usable : both;
}

// Number of cores for a lane, where `lanes` have a share of `cores` physical ones.
std::size_t share_of(std::size_t cores, std::size_t lanes) {
  return lanes == 0 ? 0 : std::min(kLaneCores, cores / lanes);
}

}  // namespace

std::vector<LaneCores> lane_cores(const std::vector<GpuInfo>& gpus, const std::vector<int>& usable,
                                  const std::filesystem::path& topology) {
  std::map<std::vector<int>, std::vector<std::size_t>> sharing;  // GPUs, by the cores near them
  for (std::size_t i = 0; i < gpus.size(); ++i) sharing[near_ones(gpus[i], usable)].push_back(i);
  std::vector<std::pair<std::vector<int>, std::vector<std::size_t>>> groups(sharing.begin(),
                                                                            sharing.end());
  // GPUs that are near few cores choose first; those that may run anywhere take of the rest.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  std::map<std::size_t, std::vector<int>> shares;  // key: the GPU
  std::set<int> taken;
  for (auto& [near, members] : groups) {
    std::erase_if(near, [&](int core) { return taken.contains(core); });
    const PhysicalCores cores = physical_cores(near, topology);
    std::size_t lanes = members.size();
    while (lanes > 0 && share_of(cores.size(), lanes) < kFewestLaneCores) --lanes;
    const std::size_t each = share_of(cores.size(), lanes);
    for (std::size_t i = 0; i < lanes * each; ++i) {
      shares[members[i / each]].insert(shares[members[i / each]].end(), cores[i].begin(),
                                       cores[i].end());
      taken.insert(cores[i].begin(), cores[i].end());
    }
  }
  std::vector<LaneCores> lanes;
  for (auto& [gpu, cores] : shares) {
    std::sort(cores.begin(), cores.end());
    lanes.push_back({gpus[gpu], std::move(cores)});
  }
  return lanes;
}

std::vector<int> builders_cores(const std::vector<LaneCores>& lanes,
                                const std::vector<int>& usable) {
  std::vector<int> left = usable;
  for (const LaneCores& lane : lanes)
    std::erase_if(left, [&](int core) {
      return std::find(lane.cores.begin(), lane.cores.end(), core) != lane.cores.end();
    });
  return left;
}

}  // namespace kbench
