// Which orders wait, and whose turn it is. Agents take turns, so that one who sends many holds
// nobody else up by more than one batch; an agent's own orders stay in their order. Used by the
// supervisor under its lock; knows neither time nor disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/serve/limits.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

class OrderQueue {
 public:
  struct Limits {
    std::size_t most = limits::kMostQueued;
    std::size_t most_of_one = limits::kMostInFlight;  // of an agent, those being judged included
  };
  OrderQueue() = default;
  explicit OrderQueue(Limits limits) : limits_(limits) {}

  enum class Push { kTaken, kThere, kFull, kTooMany };
  Push push(QueuedOrder order);
  // The answer of push() to a new order.
  [[nodiscard]] Push room_for(const std::string& agent) const;
  // From an earlier life: whatever the limits say.
  void restore(QueuedOrder order);

  enum class State { kQueued, kRunning };
  [[nodiscard]] std::optional<State> state_of(const std::string& id) const;
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::vector<std::string> waiting_ids() const;  // by arrival
  [[nodiscard]] const QueuedOrder* find(const std::string& id) const;

  // The next ones, which are to be judged together: of one kind and size, at most `most`. They run
  // then.
  [[nodiscard]] std::vector<QueuedOrder> take(std::size_t most);
  // It has its row, or never will.
  void finish(const std::string& id);
  // It ran, and has no row: it waits again, `tried` where that was its own try.
  void put_back(const std::string& id, bool tried);

 private:
  struct Entry {
    QueuedOrder order;
    bool running = false;
  };
  [[nodiscard]] std::size_t count_of(const std::string& agent) const;
  [[nodiscard]] Entry* next(const Order* like);

  Limits limits_;
  std::map<std::string, Entry> entries_;         // by id
  std::map<std::string, std::uint64_t> served_;  // by agent: when it last had its turn
  std::uint64_t turn_ = 0;
};

}  // namespace kbench
