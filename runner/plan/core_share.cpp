#include "runner/plan/core_share.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

namespace kbench {
namespace {

// The launching one, the supervisor's, the oracle's, and one that is none of them.
constexpr std::size_t kFewestThreads = 4;

// "0,16" or "0-1": hyper-threads are known by the first of them.
int first_sibling(int core, const std::filesystem::path& topology) {
  std::ifstream list(topology / fmt::format("cpu{}/topology/thread_siblings_list", core));
  int first = core;
  return list >> first ? first : core;
}

}  // namespace

PhysicalCores physical_cores(const std::vector<int>& cores, const std::filesystem::path& topology) {
  std::map<int, std::vector<int>> by_first;
  for (const int core : cores) by_first[first_sibling(core, topology)].push_back(core);
  PhysicalCores grouped;
  for (auto& [first, threads] : by_first) grouped.push_back(std::move(threads));
  return grouped;
}

std::vector<int> core_share(const PhysicalCores& cores, std::size_t place, std::size_t gpus) {
  const auto threads_of = [&](std::size_t from, std::size_t to) {
    std::vector<int> threads;
    for (std::size_t i = from; i < to; ++i)
      threads.insert(threads.end(), cores[i].begin(), cores[i].end());
    return threads;
  };
  const std::size_t all = cores.size();
  if (gpus == 0 || place >= gpus) return threads_of(0, all);
  auto share = threads_of(place * all / gpus, (place + 1) * all / gpus);
  return share.size() < kFewestThreads ? threads_of(0, all) : share;
}

std::vector<int> launching_cores(const GpuInfo& gpu, const std::vector<int>& usable,
                                 const std::filesystem::path& topology) {
  std::vector<int> both;
  std::set_intersection(usable.begin(), usable.end(), gpu.near_cores.begin(), gpu.near_cores.end(),
                        std::back_inserter(both));
  return core_share(physical_cores(both.empty() ? usable : both, topology), gpu.place, gpu.sharing);
}

}  // namespace kbench
