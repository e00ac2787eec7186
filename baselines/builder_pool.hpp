// Builds AOTInductor packages ahead of timing: a pool of persistent Python processes running
// aot_builder.py, since the first package of a process costs several times a later one. They are in
// the sandbox, and only this process writes to the cache. No LibTorch.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Everything a package is specialised for. Two requests with equal keys share one file.
struct PackageRequest {
  std::string task;  // "level1/019_relu", for messages
  std::filesystem::path task_file;
  std::string graph_hash;  // hash of the task at this size (runner/task/graph_hash.hpp)
  std::string size;
  std::string device;     // "cpu" or "cuda"
  std::string precision;  // precision class, e.g. "torch-default"
  std::string torch_version;
  int threads = 0;             // CPU: Inductor writes num_threads(N) into the code; 0 on CUDA
  std::string cpu_features;    // CPU: vector width in use, e.g. "avx512"; empty on CUDA
  int compute_capability = 0;  // CUDA: 10 * major + minor
};

// SHA-256 over all fields but `task` and `task_file`, and over the builder's own settings.
[[nodiscard]] std::string package_key(const PackageRequest& request,
                                      const std::filesystem::path& builder_script);

// The cache's path of the package of that key, if it has been built.
[[nodiscard]] std::filesystem::path package_file(const std::filesystem::path& cache_directory,
                                                 const std::string& key);

struct PackageResult {
  std::string key;
  std::filesystem::path file;  // empty when there is no compiled baseline
  std::string reason;          // then says why, e.g. "no Python with torch"
  double seconds = 0;          // 0 when it came from the cache
};

// A device on which builders time kernels.
struct BuilderDevice {
  std::map<std::string, std::string> environment;  // the builders' variables: they show one GPU
  // A file of the device's, made where it is missing: a builder holds its lock (flock) while it
  // times kernels. Empty, or where it cannot be opened: builders may disturb each other.
  std::filesystem::path tuning_lock;
};

struct BuilderPoolOptions {
  Sandbox* sandbox = nullptr;  // null: builders run outside of any
  bool needs_cuda = false;     // they time kernels on the GPU
  // Alike, because a package is built on any of them. Processes take them in turn.
  std::vector<BuilderDevice> devices = std::vector<BuilderDevice>(1);
  PythonSetup python;            // a Python with torch; no path: there is none
  std::filesystem::path script;  // baselines/aot_builder.py
  std::filesystem::path cache_directory;
  std::filesystem::path own_suite;  // suite_folder()'s; its builders add to what is kept
  int processes = 1;
  std::chrono::seconds time_limit{1200};  // limit for a package; a builder beyond it is killed
  std::function<bool()> interrupted;      // optional; asked a few times a second, true ends it all
};

// Returns one result for each request, in order, building what the cache lacks. No builder builds
// for two suites: what it says about one is not believed about another. `on_done` is called
// from this thread after each package (index into requests), for progress. A failed build is a
// result with a reason, not an error. A failure is cached as well (KEY.failed), with its reason,
// unless it says nothing about the package: a builder that died, ran out of memory or time, or was
// interrupted. One that ran out of memory beside other builders is tried once more, alone. Errors:
// kInfrastructure when the cache directory cannot be made.
[[nodiscard]] Result<std::vector<PackageResult>> build_packages(
    const std::vector<PackageRequest>& requests, const BuilderPoolOptions& options,
    const std::function<void(std::size_t index, const PackageResult&)>& on_done);

}  // namespace kbench
