#include "runner/import/lowering_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kMaxWords = 300;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string()
             ? clean_name(found->get_ref<const std::string&>(), kMaxWords)
             : "";
}

ImportError error_of(const Json& json) {
  ImportError error;
  if (!json.is_object()) return {0, "it gave an answer that makes no sense", {}, ""};
  const auto line = json.find("line");
  if (line != json.end() && line->is_number_integer())
    error.line = static_cast<int>(std::clamp<std::int64_t>(line->get<std::int64_t>(), 0, 1 << 30));
  error.what = text_of(json, "what");
  const std::string fault = text_of(json, "fault");
  error.fault = fault == "limit"     ? ImportError::Fault::kLimit
                : fault == "machine" ? ImportError::Fault::kMachine
                                     : ImportError::Fault::kFile;
  error.hint = text_of(json, "hint");
  return error;
}

LoweringAnswer answer_of(const Json& json) {
  const auto task = json.find("task");
  if (task != json.end() && task->is_string()) return {task->get<std::string>(), std::nullopt};
  const auto error = json.find("error");
  return {"", error_of(error == json.end() ? Json() : *error)};
}

// For files that wait instead of working; the processors may be busy with others.
std::chrono::seconds wall_limit(const LoweringOptions& options) {
  return 4 * options.cpu_limit + std::chrono::seconds(30);
}

// The sandbox had to be given up: whatever the file did, it did not end well.
ImportError error_of(const Error& failure, const LoweringOptions& options) {
  if (failure.code == ErrorCode::kTimeout) {
    return {0, fmt::format("it was not read within {} s", wall_limit(options).count()),
            ImportError::Fault::kFile, "--timeout gives more; a task file must not wait"};
  }
  return {0, "it ended the process that reads it", ImportError::Fault::kFile,
          "a task file only defines a module and its inputs"};
}

class Pool {
 public:
  Pool(Sandbox& sandbox, const LoweringSetup& setup, const std::vector<LoweringRequest>& requests,
       const LoweringOptions& options)
      : sandbox_(sandbox), setup_(setup), requests_(requests), options_(options) {}

  Status run(const std::function<void(std::size_t, const LoweringAnswer&)>& on_done) {
    const auto count =
        std::min(static_cast<std::size_t>(std::max(options_.processes, 1)), requests_.size());
    std::vector<std::jthread> threads;
    for (working_ = count; threads.size() < count;) threads.emplace_back([this] { work(); });
    for (bool going = true; going;) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick, [this] { return !done_.empty() || working_ == 0; });
      going = working_ > 0 || !done_.empty();
      std::deque<Finished> finished;
      finished.swap(done_);
      lock.unlock();
      for (const auto& [index, answer] : finished) on_done(index, answer);
      if (options_.tick) options_.tick();
      if (options_.stop && options_.stop()) stopped_ = true;
    }
    return broken_;
  }

 private:
  using Finished = std::pair<std::size_t, LoweringAnswer>;

  // One thread with one Python at a time.
  void work() {
    std::unique_ptr<LoweringProcess> process;
    const auto stop = [this] { return stopped_.load(); };
    for (std::size_t i = next_++; i < requests_.size() && !stopped_; i = next_++) {
      if (!process) {
        auto started = LoweringProcess::start(sandbox_, setup_, stop);
        if (!started) {
          give_up(started.error());
          break;
        }
        process = std::move(*started);
      }
      lower(i, process, stop);
    }
    process.reset();
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_one();
  }

  void lower(std::size_t index, std::unique_ptr<LoweringProcess>& process,
             const LoweringProcess::Stop& stop) {
    const LoweringRequest& request = requests_[index];
    const Json body = {{"level", request.level},
                       {"file", request.file},
                       {"source", request.source},
                       {"mode", options_.mode},
                       {"cpu_seconds", options_.cpu_limit.count()}};
    auto answered = process->ask(body, wall_limit(options_), stop);
    if (stopped_) return;
    if (!answered || answered->contains("last")) process.reset();
    LoweringAnswer answer =
        answered ? answer_of(*answered) : LoweringAnswer{"", error_of(answered.error(), options_)};
    const std::lock_guard lock(mutex_);
    done_.emplace_back(index, std::move(answer));
    changed_.notify_one();
  }

  void give_up(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (broken_ && !stopped_) broken_ = error;
    stopped_ = true;
  }

  Sandbox& sandbox_;
  const LoweringSetup& setup_;
  const std::vector<LoweringRequest>& requests_;
  const LoweringOptions& options_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Finished> done_;
  std::size_t working_ = 0;
  Status broken_ = Done{};
};

}  // namespace

Status lower_files(Sandbox& sandbox, const LoweringSetup& setup,
                   const std::vector<LoweringRequest>& requests, const LoweringOptions& options,
                   const std::function<void(std::size_t index, const LoweringAnswer&)>& on_done) {
  return Pool(sandbox, setup, requests, options).run(on_done);
}

}  // namespace kbench
