// When the rows of a run are brought to where others find them. Each time its whole file is
// written, which for each row alone would be quadratic. So a row waits for others if the file has
// more than twenty rows, and writing it now would take more than a twentieth of the time. A row
// that comes a minute after the last writing, or later, never waits; nor do 256 rows, or a
// twentieth of the file's.
#pragma once

#include <chrono>
#include <cstddef>

namespace kbench {

class PublishPace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // A row was added. The file, with all of them, was written from `begun` to `ended`.
  void add() { ++waiting_; }
  void put(Time begun, Time ended);

  // Whether rows wait, and now is the time to write them.
  [[nodiscard]] bool is_due(Time now) const;

 private:
  std::size_t there_ = 0;    // rows of the file as others find it
  std::size_t waiting_ = 0;  // rows that were added since
  Time next_;                // time from which on a single row is worth it
};

}  // namespace kbench
