#include "runner/os/server_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};

class Round {
 public:
  Round(const ServerPool& pool, const std::vector<Json>& requests)
      : pool_(pool), requests_(requests) {}

  Status run(const std::function<void(std::size_t, Answer)>& on_answer) {
    working_ = std::min(static_cast<std::size_t>(std::max(pool_.processes, 1)), requests_.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = working_; i > 0; --i) threads.emplace_back([this] { work(); });
    for (bool going = true; going;) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick, [this] { return !answers_.empty() || working_ == 0; });
      going = working_ > 0 || !answers_.empty();
      std::deque<std::pair<std::size_t, Answer>> answers;
      answers.swap(answers_);
      lock.unlock();
      for (auto& [index, answer] : answers) on_answer(index, std::move(answer));
      if (pool_.tick) pool_.tick();
      if (pool_.stop && pool_.stop()) stopped_ = true;
    }
    const bool left = next_ < requests_.size() && !stopped_;
    return left ? Status(start_failure_.value_or(Error{})) : Status(Done{});
  }

 private:
  void work() {
    const Stop stop = [this] { return stopped_.load(); };
    std::unique_ptr<Server> server;
    while (!stopped_) {
      if (!server) {
        // No server is started before there is work for it: starting one takes seconds.
        if (next_ >= requests_.size()) break;
        auto started = pool_.start(stop);
        if (!started) {
          const std::lock_guard lock(mutex_);
          start_failure_ = started.error();
          break;
        }
        server = std::move(*started);
      }
      const std::size_t index = next_++;
      if (index >= requests_.size()) break;
      const auto since = Clock::now();
      auto body = server->ask(requests_[index], pool_.limit, stop);
      if (stopped_) break;
      const std::chrono::duration<double> spent = Clock::now() - since;
      if (server->spent()) server.reset();
      const std::lock_guard lock(mutex_);
      answers_.emplace_back(index, Answer{std::move(body), spent.count()});
      changed_.notify_one();
    }
    server.reset();
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_one();
  }

  const ServerPool& pool_;
  const std::vector<Json>& requests_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::size_t, Answer>> answers_;
  std::size_t working_ = 0;  // threads
  std::optional<Error> start_failure_;
};

}  // namespace

Status ServerPool::ask(const std::vector<Json>& requests,
                       const std::function<void(std::size_t, Answer)>& on_answer) const {
  return Round(*this, requests).run(on_answer);
}

}  // namespace kbench
