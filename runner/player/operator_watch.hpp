// Counts the operators of torch that a submission calls, and takes their time, by two hooks: a
// callback that every dispatched operator of every thread passes, and a fallback of a dispatch key
// that is switched on for this thread. What neither sees may have been called nevertheless (through
// a library that does not dispatch, or while both were off: torch has private functions for that in
// Python, and nothing tells who puts back what was): this is an observation and no proof. Off but
// between watch_operators() and stop_watching_operators(), so that no timed call pays for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kbench {

// By which operators are timed: the host's clock, or moments of a device's stream.
class OperatorClock {
 public:
  virtual ~OperatorClock() = default;
  // A moment; what the number means is the clock's own. May be asked by several threads at once.
  virtual std::int64_t now() = 0;
  // Nanoseconds between two moments, once all work is complete; negative where it is unknown.
  virtual std::int64_t between(std::int64_t from, std::int64_t to) = 0;
};

struct WatchedOperators {
  // Operators by name, "aten::relu"; calls by other operators of torch and plain views are left
  // out, and so are operators that the submission has registered itself: what those call counts.
  std::map<std::string, std::int64_t> counts;
  // Time of the operators that the callback saw, over all calls; without those that could not be
  // timed.
  std::map<std::string, std::int64_t> ns;
  std::int64_t all_ns = 0;  // time while they were watched; 0 where unknown
  bool hooks_stand = true;  // both saw a call of our own at each end
};

// Notes which operators are torch's own, and not a submission's; before anything foreign is loaded.
void know_torchs_operators();
// Forgets all operators that were seen.
void forget_operators();
// Watches from here on, beside what was seen already. The clock is the same until they are
// forgotten, and has to live until watched_operators() has returned.
void watch_operators(OperatorClock& clock);
// Takes the hooks off.
void stop_watching_operators();
// The operators seen in between. On a device, once its work is complete.
[[nodiscard]] WatchedOperators watched_operators();

}  // namespace kbench
