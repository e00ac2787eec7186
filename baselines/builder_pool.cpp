// The conversation with a builder, in lines of JSON (see aot_builder.py):
//   it: {"ready": true, "torch": "2.11.0"}                           once, when it can take work
//   we: {"id": 7, "task_file": …, "size": …, "device": …, "precision": …, "threads": …, "output":
//   …} it: {"id": 7, "output": PATH}  or  {"id": 7, "reason": TEXT, "transient": true|false}
// Any other line on its stdout is noise from a library and is ignored.
#include "baselines/builder_pool.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "baselines/builder_process.hpp"
#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kStartLimit{180};  // importing torch from a cold disk
constexpr int kPollMs = 200;

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

struct Worker {
  BuilderProcess process;
  bool ready = false;
  std::optional<std::size_t> job;
  Clock::time_point since = Clock::now();  // it started, or got its job
};

class Pool {
 public:
  Pool(const std::vector<PackageRequest>& requests, const BuilderPoolOptions& options,
       const std::function<void(std::size_t, const PackageResult&)>& on_done)
      : requests_(requests), options_(options), on_done_(on_done), results_(requests.size()) {}

  std::vector<PackageResult> run();

 private:
  void work_through_queue();
  void sort_into_jobs();
  void put_large_ones_first();
  bool take_from_cache(std::size_t job);
  void finish(std::size_t job, PackageResult result);
  void fail(std::size_t job, std::string reason, double seconds, Remember remember);
  void fail_queue(const std::string& reason);

  void start_workers();
  void wait_for_input();
  void serve(Worker& worker);
  void handle_line(Worker& worker, const std::string& line);
  void handle_ready(Worker& worker, const Json& message);
  void handle_reply(Worker& worker, const Json& reply);
  void assign(Worker& worker);
  void dismiss(Worker& worker, const std::string& complaint);
  void check_time(Worker& worker);

  [[nodiscard]] Json request_for(std::size_t job) const;
  [[nodiscard]] fs::path file(std::size_t job, const char* extension) const {
    return options_.cache_directory / (jobs_[job].key + extension);
  }
  [[nodiscard]] fs::path package(std::size_t job) const {
    return package_file(options_.cache_directory, jobs_[job].key);
  }
  // Inductor would start as many helpers as there are cores, for each builder: on 32 cores eight
  // builders' helpers need minutes to import torch before the first package is made.
  [[nodiscard]] int compile_threads() const {
    return std::max(1, static_cast<int>(usable_cores().size()) / processes_);
  }
  [[nodiscard]] const PackageRequest& first_request(std::size_t job) const {
    return requests_[jobs_[job].requests.front()];
  }

  const std::vector<PackageRequest>& requests_;
  const BuilderPoolOptions& options_;
  const std::function<void(std::size_t, const PackageResult&)>& on_done_;
  std::vector<PackageResult> results_;
  std::vector<Job> jobs_;
  std::deque<std::size_t> queue_;
  std::deque<std::size_t> alone_;  // ran out of memory beside others: tried again, one by one
  int processes_ = std::max(options_.processes, 1);
  std::vector<Worker> workers_;
  std::vector<std::size_t> leaving_;  // positions in workers_ to remove after this round
  std::string start_failure_;         // why a builder could not even start; then none is started
};

void Pool::sort_into_jobs() {
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    std::string key = package_key(requests_[i], options_.script);
    const auto [found, is_new] = by_key.emplace(key, jobs_.size());
    if (is_new) jobs_.push_back({std::move(key), {}});
    jobs_[found->second].requests.push_back(i);
  }
}

// A network takes minutes: begun last, it would keep everybody waiting.
void Pool::put_large_ones_first() {
  std::vector<std::uintmax_t> bytes;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    std::error_code unknown;
    const auto size = fs::file_size(first_request(job).task_file, unknown);
    bytes.push_back(unknown ? 0 : size);
  }
  std::stable_sort(queue_.begin(), queue_.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
}

bool Pool::take_from_cache(std::size_t job) {
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

void Pool::finish(std::size_t job, PackageResult result) {
  result.key = jobs_[job].key;
  for (const std::size_t request : jobs_[job].requests) {
    results_[request] = result;
    if (on_done_) on_done_(request, results_[request]);
    result.seconds = 0;  // the others of this key got it for nothing
  }
}

void Pool::fail(std::size_t job, std::string reason, double seconds, Remember remember) {
  // Not being remembered is the only loss. Another run may share the cache.
  if (remember == Remember::kYes) (void)write_atomically(file(job, ".failed"), reason, 0644);
  PackageResult result;
  result.reason = std::move(reason);
  result.seconds = seconds;
  finish(job, std::move(result));
}

void Pool::fail_queue(const std::string& reason) {
  for (; !queue_.empty(); queue_.pop_front()) fail(queue_.front(), reason, 0, Remember::kNo);
}

Json Pool::request_for(std::size_t job) const {
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

void Pool::start_workers() {
  const auto wanted =
      std::min(static_cast<std::size_t>(processes_),
               queue_.size() + static_cast<std::size_t>(std::count_if(
                                   workers_.begin(), workers_.end(),
                                   [](const Worker& worker) { return worker.job.has_value(); })));
  while (start_failure_.empty() && workers_.size() < wanted) {
    auto process = BuilderProcess::start(
        {options_.python, options_.script, options_.cache_directory, compile_threads()});
    if (process) {
      workers_.push_back({std::move(*process)});
    } else {
      start_failure_ = process.error().message;
    }
  }
}

void Pool::assign(Worker& worker) {
  worker.job.reset();
  if (queue_.empty()) return dismiss(worker, "");
  const std::size_t job = queue_.front();
  queue_.pop_front();
  worker.job = job;
  worker.since = Clock::now();
  if (auto sent = worker.process.send(request_for(job)); !sent)
    dismiss(worker, "the package builder");
}

// Ends a worker. With a complaint ("the package builder …") its job has failed.
void Pool::dismiss(Worker& worker, const std::string& complaint) {
  leaving_.push_back(static_cast<std::size_t>(&worker - workers_.data()));
  if (complaint.empty()) return;
  const std::string reason = complaint + " " + worker.process.bury();
  if (!worker.ready) start_failure_ = reason;
  if (worker.job) {
    const std::chrono::duration<double> spent = Clock::now() - worker.since;
    fail(*std::exchange(worker.job, std::nullopt), reason, spent.count(), Remember::kNo);
  }
}

void Pool::handle_ready(Worker& worker, const Json& message) {
  worker.ready = true;
  const std::string version = message.value("torch", "");
  // A package built against one LibTorch is not promised to load in another.
  std::deque<std::size_t> kept;
  for (const std::size_t job : queue_) {
    const std::string& wanted = first_request(job).torch_version;
    if (wanted.empty() || wanted == version) {
      kept.push_back(job);
    } else {
      fail(job, fmt::format("the builder's Python has torch {}, LibTorch is {}", version, wanted),
           0, Remember::kNo);
    }
  }
  queue_ = std::move(kept);
  assign(worker);
}

void Pool::handle_reply(Worker& worker, const Json& reply) {
  const std::size_t job = *worker.job;
  const std::chrono::duration<double> spent = Clock::now() - worker.since;
  std::error_code ignored;
  if (reply.contains("output") && fs::exists(package(job), ignored)) {
    finish(job, {.key = "", .file = package(job), .reason = "", .seconds = spent.count()});
  } else if (reply.contains("reason") && reply["reason"].is_string()) {
    const bool transient = reply.contains("transient") && reply["transient"] == true;
    if (transient && processes_ > 1) {
      alone_.push_back(job);
      return assign(worker);
    }
    fail(job, reply["reason"].get<std::string>(), spent.count(),
         transient ? Remember::kNo : Remember::kYes);
  } else {
    return dismiss(worker, fmt::format("the package builder sent a reply that makes no sense ({}) "
                                       "and",
                                       reply.dump().substr(0, 200)));
  }
  assign(worker);
}

void Pool::handle_line(Worker& worker, const std::string& line) {
  const Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object()) return;
  if (!worker.ready) {
    if (message.contains("ready")) handle_ready(worker, message);
  } else if (worker.job && message.contains("id") && message["id"] == *worker.job) {
    handle_reply(worker, message);
  }
}

void Pool::check_time(Worker& worker) {
  const auto limit = worker.ready ? options_.time_limit : kStartLimit;
  if (Clock::now() - worker.since < limit) return;
  dismiss(worker, fmt::format("the package builder had no answer after {} s and", limit.count()));
}

void Pool::serve(Worker& worker) {
  worker.process.read_errors();
  const auto left = [&] {
    return std::find(leaving_.begin(), leaving_.end(),
                     static_cast<std::size_t>(&worker - workers_.data())) != leaving_.end();
  };
  for (const std::string& line : worker.process.read_lines()) {
    handle_line(worker, line);
    if (left()) return;
  }
  if (worker.process.closed()) return dismiss(worker, "the package builder");
  check_time(worker);
}

void Pool::wait_for_input() {
  std::vector<pollfd> descriptors;
  for (const Worker& worker : workers_) {
    descriptors.push_back({worker.process.reply_fd(), POLLIN, 0});
    descriptors.push_back({worker.process.error_fd(), POLLIN, 0});  // poll skips a negative one
  }
  ::poll(descriptors.data(), descriptors.size(), kPollMs);  // EINTR is just an early look
}

void Pool::work_through_queue() {
  while (!queue_.empty() || !workers_.empty()) {
    start_workers();
    if (workers_.empty()) {
      fail_queue(start_failure_);
      break;
    }
    wait_for_input();
    if (options_.interrupted && options_.interrupted()) {
      for (const Worker& worker : workers_)
        if (worker.job) queue_.push_back(*worker.job);
      workers_.clear();
      queue_.insert(queue_.end(), alone_.begin(), alone_.end());
      alone_.clear();
      fail_queue("interrupted");
      break;
    }
    for (Worker& worker : workers_) serve(worker);
    for (; !leaving_.empty(); leaving_.pop_back())
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(leaving_.back()));
  }
}

std::vector<PackageResult> Pool::run() {
  sort_into_jobs();
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    if (!take_from_cache(job)) queue_.push_back(job);
  put_large_ones_first();
  if (options_.python.empty()) fail_queue("no Python with torch");

  work_through_queue();
  queue_ = std::exchange(alone_, {});
  processes_ = 1;
  work_through_queue();
  return std::move(results_);
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
  return Pool(requests, options, on_done).run();
}

}  // namespace kbench
