#include "runner/run/baseline_packages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "baselines/builder_process.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/exchange/shared_files.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/measure/players/player_environment.hpp"
#include "runner/task/graph_hash.hpp"

namespace kbench {
namespace {

constexpr double kTypicalBuildSeconds = 17;  // guess until the first ones tell

// Inductor keeps about two cores busy: Python beside the compilers it starts. On two cores a
// second process still helps, since the two rarely want the same one.
int builder_processes(int cores) { return std::clamp(cores / 2, 2, 8); }

Result<PackageRequest> request_for(const Task& task, const Target& target,
                                   const OracleHello& oracle, const std::string& precision) {
  auto hash = graph_hash(task, target.size);
  if (!hash) return hash.error();
  PackageRequest request;
  request.task = task.id;
  request.task_file = task.file;
  request.graph_hash = std::move(*hash);
  request.size = target.size;
  request.device = target.device;
  request.precision = precision;
  request.torch_version = oracle.torch;
  if (target.device == "cpu") {
    request.threads = oracle.facts.threads;
    request.cpu_features = oracle.facts.cpu_features;
  } else {
    request.compute_capability = oracle.facts.compute_capability;
  }
  return request;
}

std::filesystem::path package_cache(const Installation& installation) {
  return installation.cache / "packages";
}

// The Python with torch; without a path where none has torch.
PythonSetup python_setup(const Installation& installation) {
  if (installation.python.empty()) return {};
  const auto facts = ask_python(installation.python);
  if (!facts) return {};
  return {std::filesystem::absolute(installation.python), facts->module_folders, facts->folders};
}

bool is_cached(const PackageRequest& request, const Installation& installation) {
  const std::string key = package_key(request, installation.aot_builder);
  std::error_code ignored;
  return std::filesystem::exists(package_file(package_cache(installation), key), ignored);
}

// The name of a package in the cache, and in an entry that is shared.
std::string name_of(const std::string& key) { return package_file("", key).string(); }

// Takes packages that other machines have built, as far as they are not in the cache of this one.
// Nothing but time is lost where that fails. Returns the number of those that came.
std::size_t take_shared_packages(const std::vector<PackageRequest>& requests,
                                 const Installation& installation, const CacheEntries& shared) {
  std::size_t taken = 0;
  for (const PackageRequest& request : requests) {
    if (is_cached(request, installation)) continue;
    const std::string key = package_key(request, installation.aot_builder);
    const auto came = take_shared_files(shared, key, package_cache(installation), {name_of(key)});
    taken += came && *came ? 1U : 0U;
  }
  return taken;
}

std::vector<Target> targets_of(const Target& planned, const std::vector<GpuInfo>& gpus) {
  if (gpus.empty()) return {planned};
  std::vector<Target> targets;
  for (const GpuInfo& gpu : gpus) {
    Target target = planned;
    target.device_index = gpu.index;
    target.gpu = gpu;
    targets.push_back(std::move(target));
  }
  return targets;
}

// Gives packages of this machine that no other one has put there.
void give_shared_packages(const std::vector<PackageResult>& packages,
                          const Installation& installation, const CacheEntries& shared,
                          ProgressSink& progress) {
  for (const PackageResult& package : packages) {
    std::error_code ignored;
    if (package.file.empty() || std::filesystem::exists(shared.file_of(package.key), ignored))
      continue;
    const Status given =
        give_shared_files(shared, package.key, package_cache(installation), {name_of(package.key)});
    if (!given) return progress.warn("packages are not shared: " + given.error().message);
  }
}

}  // namespace

Result<std::map<std::size_t, PackageResult>> build_baseline_packages(
    const Plan& plan, const std::set<std::size_t>& tasks, const Installation& installation,
    const OracleHello& oracle, const PackageBuilding& building, Sandbox& sandbox,
    ProgressSink& progress) {
  std::vector<PackageRequest> requests;
  for (const std::size_t task : tasks) {
    auto request = request_for(plan.tasks[task], plan.target, oracle, building.precision);
    if (!request) return request.error();
    requests.push_back(std::move(*request));
  }
  if (building.shared) {
    std::error_code told_by_the_builder;
    std::filesystem::create_directories(package_cache(installation), told_by_the_builder);
    if (const auto came = take_shared_packages(requests, installation, *building.shared); came > 0)
      progress.detail(fmt::format("compiled baselines: {} built by other machines", came));
  }
  const auto to_build = static_cast<std::size_t>(std::count_if(
      requests.begin(), requests.end(),
      [&](const PackageRequest& request) { return !is_cached(request, installation); }));
  BuilderPoolOptions pool;
  if (stands(Defence::kConfinedOracle)) pool.sandbox = &sandbox;
  if (to_build > 0) pool.python = python_setup(installation);
  pool.own_suite = std::filesystem::absolute(installation.suites).lexically_normal();
  pool.script = installation.aot_builder;
  pool.cache_directory = package_cache(installation);
  pool.processes = building.jobs.value_or(builder_processes(usable_threads()));
  pool.needs_cuda = plan.target.device == "cuda";
  if (pool.needs_cuda) {
    pool.devices.clear();
    for (const Target& target : targets_of(plan.target, building.gpus))
      pool.devices.push_back({one_gpu_environment(target.device_index),
                              installation.locks / ("tuning-" + device_lock_name(target))});
  }
  pool.interrupted = building.interrupted;
  if (const std::size_t cached = requests.size() - to_build; cached > 0)
    progress.detail(fmt::format("compiled baselines: {} built before", cached));
  // Several packages are built at a time, of which each ends an item.
  const double at_once = std::min<double>(pool.processes, static_cast<double>(to_build));
  if (to_build > 0)
    progress.begin("compiled baselines",
                   std::vector<double>(to_build, kTypicalBuildSeconds / at_once));
  std::size_t built = 0;
  auto results = build_packages(requests, pool, [&](std::size_t i, const PackageResult& result) {
    if (!(result.seconds > 0)) return;
    progress.item_done(fmt::format("{}: compiled in {:.1f} s", requests[i].task, result.seconds));
    progress.item(++built, "");
  });
  progress.end();
  if (!results) return results.error();
  if (building.shared) give_shared_packages(*results, installation, *building.shared, progress);
  std::map<std::size_t, PackageResult> packages;
  auto result = results->begin();
  for (const std::size_t task : tasks) packages.emplace(task, std::move(*result++));
  return packages;
}

bool has_cached_package(const Task& task, const Target& target, const Installation& installation,
                        const OracleHello& oracle, const std::string& precision) {
  const auto request = request_for(task, target, oracle, precision);
  if (!request) return false;
  return is_cached(*request, installation);
}

Result<SandboxCommand> builder_command(const Installation& installation, const Target& target,
                                       const std::filesystem::path& scratch) {
  BuilderProcess::Command command;
  command.needs_cuda = target.device == "cuda";
  command.python = python_setup(installation);
  command.script = std::filesystem::absolute(installation.aot_builder);
  if (command.needs_cuda) command.environment = one_gpu_environment(target.device_index);
  if (command.python.python.empty())
    return Error{ErrorCode::kInfrastructure, "no Python with torch: " + installation.python_reason,
                 "`kbench doctor` says what is missing"};
  return confined_builder(command, scratch);
}

}  // namespace kbench
