// A judge that judges nothing: what it is handed gets a row at once, or when a test lets it. For
// the tests of the queue, the supervisor and the gate, and for the load on them; never in the
// product.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runner/core/sha256.hpp"
#include "runner/serve/judge.hpp"

namespace kbench::test {

class ScriptedJudge final : public Judge {
 public:
  // --- what a test says ---

  // Has judge() wait before each order until let().
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  // Waits until an order is held: one of which no stop hears any more. False after half a minute.
  [[nodiscard]] bool await_held() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds{30}, [&] { return holding_; });
  }
  void let(int orders) {
    {
      const std::lock_guard lock(mutex_);
      allowed_ += orders;
    }
    changed_.notify_all();
  }
  void release() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    changed_.notify_all();
  }
  // The next so many runs end with this error, and judge nothing.
  void fail(int runs) {
    const std::lock_guard lock(mutex_);
    failing_ = runs;
  }
  // The next order waits for the device as long as it is held.
  void wait_for_device(const DeviceWait& wait) {
    const std::lock_guard lock(mutex_);
    wait_ = wait;
  }
  // A row of before.
  void put(const std::string& id, bool counts) {
    const std::lock_guard lock(mutex_);
    rows_[id] = counts;
  }

  // --- what a test asks ---

  [[nodiscard]] std::vector<std::string> judged() const {
    const std::lock_guard lock(mutex_);
    return judged_;
  }

  static std::string id_of(const Order& order) {
    std::string all = order.what + "|" + order.task + "|" + order.agent;
    for (const auto& [name, text] : order.files) all += "|" + name + "|" + text;
    return sha256(all);
  }

  // --- the judge ---

  Result<Identity> identify(const Order& order) override {
    if (order.task == "level1/404_none")
      return Error{ErrorCode::kNotFound, "there is no task level1/404_none", ""};
    if (order.files.contains("bad"))
      return Error{ErrorCode::kSubmission, "the name bad is not allowed", ""};
    return Identity{id_of(order), order.task, order.size.empty() ? "small" : order.size};
  }

  Result<std::optional<Json>> find(const std::string& id, const std::string& reward,
                                   Rows rows) override {
    if (reward == "none") return Error{ErrorCode::kUsage, "no reward is called none", ""};
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(id);
    if (found == rows_.end() || (rows == Rows::kThatCount && !found->second))
      return std::optional<Json>();
    return std::optional<Json>(
        Json{{"id", id},
             {"run_id", "r"},
             {"row",
              {{"state", "ok"},
               {"fault", "none"},
               {"correct", true},
               {"message", nullptr},
               {"time_ns", {{"eager", 2e6}, {"submission", 1e6}}},
               {"speedup", {{"eager", {{"estimate", 2.0}}}, {"compiled", nullptr}}},
               {"reward", {{"name", reward}, {"value", 2.0}, {"capped", true}}}}}});
  }

  Status judge(std::span<const QueuedOrder> orders, const Listener& listener) override {
    for (const QueuedOrder& order : orders) {
      {
        std::unique_lock lock(mutex_);
        if (failing_ > 0) {
          --failing_;
          return Error{ErrorCode::kInfrastructure, "the device is lost", ""};
        }
        if (stopped_) return Done{};
        holding_ = held_;
        if (wait_ && listener.waits) {
          lock.unlock();
          listener.waits(wait_);
          lock.lock();
        }
        changed_.notify_all();
        changed_.wait(lock, [&] { return !held_ || allowed_ > 0; });
        holding_ = false;
        if (held_) --allowed_;
        if (std::exchange(wait_, std::nullopt) && listener.waits) {
          lock.unlock();
          listener.waits(std::nullopt);
          lock.lock();
        }
        judged_.push_back(order.id);
        if (order.order.is_stored()) rows_[order.id] = true;
      }
      listener.told(order.id,
                    order.order.is_stored()
                        ? std::nullopt
                        : std::optional<Json>(Json{{"state", "ok"}, {"what", order.order.what}}));
    }
    return Done{};
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  Result<Json> describe(const std::string& task, const std::string& size) override {
    if (task == "none") return Error{ErrorCode::kNotFound, "there is no task none", ""};
    return Json{{"task", task.empty() ? "level1/001_first" : task},
                {"size", size.empty() ? "small" : size},
                {"device", "cpu"},
                {"device_name", "a CPU"},
                {"prompt", "write it"},
                {"reference", "class Model"}};
  }

  Result<std::variant<Json, Order>> use_tool(const std::string& tool, const Json& arguments,
                                             const std::string& agent) override {
    using Used = std::variant<Json, Order>;
    if (tool == "list_tasks") return Used(std::in_place_index<0>, Json{{"tasks", Json::array()}});
    if (tool == "read")
      return Error{ErrorCode::kNotFound, "no workspace of yours has this handle", ""};
    return Used(std::in_place_index<1>, Order{.what = tool == "submit" ? "" : tool,
                                              .task = "level1/019_relu",
                                              .agent = agent,
                                              .files = {{"main.cpp", arguments.dump()}}});
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool holding_ = false;
  bool stopped_ = false;
  int allowed_ = 0;
  int failing_ = 0;
  std::optional<DeviceWait> wait_;
  std::map<std::string, bool> rows_;  // by id: whether they count
  std::vector<std::string> judged_;
};

}  // namespace kbench::test
