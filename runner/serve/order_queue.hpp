// Which orders wait, and whose turn it is. Agents take turns, so that an agent with many orders
// holds others up by one batch at most; an agent's own orders stay in their order. Orders that wait
// here have no files: these lie on the spool. Knows neither time nor disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/serve/client_limits.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

class OrderQueue {
 public:
  struct Limits {
    std::size_t most = limits::kMostWaiting;
    std::size_t most_of_one =
        limits::kMostWaitingOfOne;                  // an agent's orders, those in hand included
    std::size_t most_bytes = limits::kMostSpooled;  // bytes of files, those in hand included
    std::size_t most_bytes_of_one = limits::kMostSpooledOfOne;
  };
  OrderQueue() = default;
  explicit OrderQueue(Limits limits) : limits_(limits) {}

  enum class Push { kTaken, kThere, kFull, kTooMany };
  Push push(QueuedOrder order);
  // The answer of push() to a new order of so many bytes.
  [[nodiscard]] Push room_for(const std::string& agent, std::size_t bytes) const;
  // Puts back an order of an earlier server, even above the limits.
  void restore(QueuedOrder order);

  enum class State { kQueued, kRunning };
  [[nodiscard]] std::optional<State> state_of(const std::string& id) const;
  [[nodiscard]] std::size_t waiting() const { return entries_.size() - running_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::vector<std::string> waiting_ids() const;  // by arrival
  [[nodiscard]] std::vector<std::string> running_ids() const;
  [[nodiscard]] const QueuedOrder* find(const std::string& id) const;

  // The next ones, which are to be judged together: of one kind and size, at most `most`. They run
  // then. An order tried before comes alone, so that no other is lost if it kills the server.
  [[nodiscard]] std::vector<QueuedOrder> take(std::size_t most);
  // Removes an order that has its row, or never will.
  void finish(const std::string& id);
  // Puts back an order that ran and has no row: it waits again, `tried` where that was its own try.
  void put_back(const std::string& id, bool tried);

 private:
  struct Entry {
    QueuedOrder order;
    bool running = false;
  };
  struct Load {
    std::size_t orders = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Entry* next(const Order* like);

  Limits limits_;
  std::map<std::string, Entry> entries_;         // by id
  std::map<std::string, Load> load_;             // by agent
  std::size_t bytes_ = 0;                        // bytes of all entries
  std::size_t running_ = 0;                      // entries
  std::map<std::string, std::uint64_t> served_;  // by agent: when it last had its turn
  std::uint64_t turn_ = 0;
};

}  // namespace kbench
