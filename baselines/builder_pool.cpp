#include "baselines/builder_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "baselines/builder_process.hpp"
#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/os/files.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A failure that says something about the package itself is worth remembering.
enum class Remember { kYes, kNo };

std::string content_hash(const fs::path& file) {
  const auto hash = sha256_file(file);
  return hash ? *hash : "absent";
}

fs::path graph_module_file(const fs::path& builder_script) {
  return builder_script.parent_path().parent_path() / "suites" / "lowering" / "graph.py";
}

// All requests with one key: built once.
struct Job {
  std::string key;
  std::vector<std::size_t> requests;
};

class Builds {
 public:
  Builds(const std::vector<PackageRequest>& requests, const BuilderPoolOptions& options,
         const std::function<void(std::size_t, const PackageResult&)>& on_done)
      : requests_(requests), options_(options), on_done_(on_done), results_(requests.size()) {}

  std::vector<PackageResult> run();

 private:
  void sort_into_jobs();
  void put_large_ones_first();
  bool take_from_cache(std::size_t job);
  void build_suite(const fs::path& suite, std::vector<std::size_t> jobs);
  // Builds all queued jobs of one suite, in so many processes.
  void build_queue(const fs::path& suite, int processes);
  void take(std::size_t job, const Answer& answer, bool alone);
  void finish(std::size_t job, PackageResult result);
  void fail(std::size_t job, std::string reason, double seconds, Remember remember);

  [[nodiscard]] Json request_for(std::size_t job) const;
  [[nodiscard]] fs::path file(std::size_t job, const char* extension) const {
    return options_.cache_directory / (jobs_[job].key + extension);
  }
  [[nodiscard]] fs::path package(std::size_t job) const {
    return package_file(options_.cache_directory, jobs_[job].key);
  }
  [[nodiscard]] const PackageRequest& first_request(std::size_t job) const {
    return requests_[jobs_[job].requests.front()];
  }

  const std::vector<PackageRequest>& requests_;
  const BuilderPoolOptions& options_;
  const std::function<void(std::size_t, const PackageResult&)>& on_done_;
  std::vector<PackageResult> results_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> queue_;
  std::vector<std::size_t> alone_;  // ran out of memory beside others: tried again, one by one
  bool interrupted_ = false;
};

void Builds::sort_into_jobs() {
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    std::string key = package_key(requests_[i], options_.script);
    const auto [found, is_new] = by_key.emplace(key, jobs_.size());
    if (is_new) jobs_.push_back({std::move(key), {}});
    jobs_[found->second].requests.push_back(i);
  }
}

// A network takes minutes: begun last, it would keep everybody waiting.
void Builds::put_large_ones_first() {
  std::vector<std::uintmax_t> bytes;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    std::error_code unknown;
    const auto size = fs::file_size(first_request(job).task_file, unknown);
    bytes.push_back(unknown ? 0 : size);
  }
  std::stable_sort(queue_.begin(), queue_.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
}

bool Builds::take_from_cache(std::size_t job) {
  PackageResult result;
  std::error_code ignored;
  if (fs::exists(package(job), ignored)) {
    result.file = package(job);
  } else if (auto reason = read_file(file(job, ".failed"))) {
    result.reason = std::move(*reason);
  } else {
    return false;
  }
  finish(job, std::move(result));
  return true;
}

void Builds::finish(std::size_t job, PackageResult result) {
  result.key = jobs_[job].key;
  for (const std::size_t request : jobs_[job].requests) {
    results_[request] = result;
    if (on_done_) on_done_(request, results_[request]);
    result.seconds = 0;  // the others of this key got it for nothing
  }
}

void Builds::fail(std::size_t job, std::string reason, double seconds, Remember remember) {
  // The failure is not remembered if this write fails, and that is the only loss. Another run may
  // share the cache.
  if (remember == Remember::kYes) (void)write_atomically(file(job, ".failed"), reason, 0644);
  PackageResult result;
  result.reason = std::move(reason);
  result.seconds = seconds;
  finish(job, std::move(result));
}

Json Builds::request_for(std::size_t job) const {
  const PackageRequest& request = first_request(job);
  return {{"id", job},
          {"task_file", fs::absolute(request.task_file).string()},
          {"size", request.size},
          {"device", request.device},
          {"precision", request.precision},
          {"threads", request.threads},
          {"torch", request.torch_version},
          {"output", fs::absolute(package(job)).string()}};
}

void Builds::take(std::size_t job, const Answer& answer, bool alone) {
  if (!answer.body) return fail(job, answer.body.error().message, answer.seconds, Remember::kNo);
  const Json& reply = *answer.body;
  if (!reply.contains("reason")) {
    return finish(job, {.key = "", .file = package(job), .reason = "", .seconds = answer.seconds});
  }
  const bool transient = reply.value("transient", false);
  if (transient && !alone) return alone_.push_back(job);
  const bool about_the_package = !transient && !reply.value("mismatch", false);
  fail(job, reply["reason"].get<std::string>(), answer.seconds,
       about_the_package ? Remember::kYes : Remember::kNo);
}

void Builds::build_queue(const fs::path& suite, int processes) {
  const std::vector<std::size_t> queue = std::exchange(queue_, {});
  std::vector<Json> bodies;
  for (const std::size_t job : queue) bodies.push_back(request_for(job));
  // Inductor would start as many helpers as there are cores, for each builder: on 32 cores eight
  // builders' helpers need minutes to import torch before the first package is made.
  const int compile_threads = std::max(1, static_cast<int>(usable_cores().size()) / processes);
  std::vector<bool> answered(queue.size());
  const BuilderProcess::Command builder{
      .sandbox = options_.sandbox,
      .needs_cuda = options_.needs_cuda,
      .python = options_.python,
      .script = fs::absolute(options_.script),
      .headers = fs::absolute(options_.cache_directory) / "headers",
      .keeps_headers = suite == options_.own_suite,
      .compile_threads = compile_threads};
  std::atomic<std::size_t> started = 0;
  const ServerPool pool{
      .start =
          [&](const Stop& stop) {
            BuilderProcess::Command own = builder;
            const BuilderDevice& device = options_.devices[started++ % options_.devices.size()];
            own.tuning_lock = device.tuning_lock;
            own.environment = device.environment;
            return BuilderProcess::start(own, stop);
          },
      .processes = processes,
      .limit = options_.time_limit,
      .stop =
          [&] {
            interrupted_ = interrupted_ || (options_.interrupted && options_.interrupted());
            return interrupted_;
          }};
  const Status done = pool.ask(bodies, [&](std::size_t index, const Answer& answer) {
    answered[index] = true;
    take(queue[index], answer, processes == 1);
  });
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (!answered[i]) fail(queue[i], done ? "interrupted" : done.error().message, 0, Remember::kNo);
  }
}

std::vector<PackageResult> Builds::run() {
  sort_into_jobs();
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    if (!take_from_cache(job)) queue_.push_back(job);
  put_large_ones_first();
  if (options_.python.python.empty()) {
    for (const std::size_t job : queue_) fail(job, "no Python with torch", 0, Remember::kNo);
    return std::move(results_);
  }
  std::map<fs::path, std::vector<std::size_t>> suites;
  for (const std::size_t job : std::exchange(queue_, {}))
    suites[suite_folder(first_request(job).task_file)].push_back(job);
  for (auto& [suite, jobs] : suites) build_suite(suite, std::move(jobs));
  return std::move(results_);
}

void Builds::build_suite(const fs::path& suite, std::vector<std::size_t> jobs) {
  queue_ = std::move(jobs);
  if (!interrupted_) build_queue(suite, std::max(options_.processes, 1));
  queue_.insert(queue_.end(), alone_.begin(), alone_.end());
  alone_.clear();
  if (!interrupted_) build_queue(suite, 1);
  for (const std::size_t job : std::exchange(queue_, {}))
    fail(job, "interrupted", 0, Remember::kNo);
}

}  // namespace

fs::path package_file(const fs::path& cache_directory, const std::string& key) {
  return cache_directory / (key + ".pt2");
}

std::string package_key(const PackageRequest& request, const fs::path& builder_script) {
  const Json parts = {{"task", request.graph_hash},
                      {"size", request.size},
                      {"device", request.device},
                      {"precision", request.precision},
                      {"torch", request.torch_version},
                      {"threads", request.threads},
                      {"cpu_features", request.cpu_features},
                      {"compute_capability", request.compute_capability},
                      {"builder", content_hash(builder_script)},
                      {"graph", content_hash(graph_module_file(builder_script))}};
  return sha256(parts.dump());
}

Result<std::vector<PackageResult>> build_packages(
    const std::vector<PackageRequest>& requests, const BuilderPoolOptions& options,
    const std::function<void(std::size_t index, const PackageResult&)>& on_done) {
  std::error_code error;
  fs::create_directories(options.cache_directory, error);
  if (error) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("cannot make the package cache {}: {}",
                             options.cache_directory.string(), error.message()),
                 "choose another cache directory"};
  }
  return Builds(requests, options, on_done).run();
}

}  // namespace kbench
