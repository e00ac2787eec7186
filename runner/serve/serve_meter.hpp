// The numbers of `kbench serve` for GET /metrics: what it did, and has in hand. Counts begin with
// the server, and so does the waiting time of an order that an earlier server left. Any thread may
// call it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "runner/core/json.hpp"

namespace kbench {

class ServeMeter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ServeMeter(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

  // An order came into the queue, or was found in it.
  void arrived(const std::string& id);
  // The order left the queue: with its row or result, or for good without one.
  void left(const std::string& id, bool judged);

  // The judge has orders in hand from now on, or none.
  void judge_begins();
  void judge_ends();
  // The judge has ended one of them; the next begins.
  void row();

  // {queued, running, done, failed, oldest_wait_s, rows, row_s, busy, busy_s}; times in seconds.
  // `waiting`: the ids of the orders that wait; `running`: how many are judged.
  [[nodiscard]] Json read(std::span<const std::string> waiting, std::size_t running) const;

 private:
  mutable std::mutex mutex_;
  std::function<Clock::time_point()> now_;
  std::map<std::string, Clock::time_point> arrived_;
  std::optional<Clock::time_point> began_;  // the judge's orders in hand
  Clock::time_point last_row_{};            // or the beginning
  Clock::duration busy_{};                  // before began_
  Clock::duration rows_time_{};
  std::uint64_t rows_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace kbench
