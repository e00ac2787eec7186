// How fast places become free, and hence when a client who found none is to come again. Each client
// who is refused is given a later time than the one before, so that they do not all come at once;
// times that have passed count no more.
#pragma once

#include <chrono>
#include <optional>

namespace kbench {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // `guess`: the time from one free place to the next, until that is known.
  explicit Pace(std::chrono::milliseconds guess) : each_(guess) {}

  // Places are taken from now on; what lay before was no waiting.
  void begin(Clock::time_point now);
  // A place became free.
  void freed(Clock::time_point now);
  // Rests while all places are free: until begin() no time is measured.
  void rest() { since_.reset(); }

  // A client was refused: the seconds after which there will be a place for it, 1 to kMostWait.
  [[nodiscard]] std::chrono::seconds refused(Clock::time_point now);

 private:
  using Time = std::chrono::duration<double>;

  Time each_;                               // from one free place to the next
  bool known_ = false;                      // measured, no guess
  std::optional<Clock::time_point> since_;  // the last free place, or begin()
  Clock::time_point next_{};                // time given to the last refused one
};

}  // namespace kbench
