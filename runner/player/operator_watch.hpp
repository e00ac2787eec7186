// Counts the operators of torch that a submission calls, by two hooks that Python has no handle of:
// a callback that every dispatched operator of every thread passes, and a fallback of a dispatch
// key that is switched on for this thread. What neither sees may have been called nevertheless
// (through a library that does not dispatch, or after a hook was disabled): this is an observation
// and no proof. Off but between the two functions, so that no timed call pays for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kbench {

struct WatchedOperators {
  // By name, "aten::relu"; calls by other operators and plain views are left out.
  std::map<std::string, std::int64_t> counts;
  bool hooks_stand = true;  // both saw a call of our own at the end
};

void watch_operators();
[[nodiscard]] WatchedOperators watched_operators();

}  // namespace kbench
