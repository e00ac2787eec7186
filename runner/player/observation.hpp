// Whether torch's operators are counted in the call at hand, and whether the player alone began and
// ended that. It is kept here, and not in Python, so that for Python an observed call is like any
// other: the player calls the same functions around each.
#pragma once

#include <cstdint>

namespace kbench {

struct Observation {
  bool asked = false;
  std::uint32_t slots = 0;  // each is watched by itself
  std::uint32_t begun = 0;
  std::uint32_t ended = 0;

  // Both return true where there is anything to begin or to end.
  bool begin() { return asked && ++begun > 0; }
  bool end() { return asked && ++ended > 0; }
  [[nodiscard]] bool undisturbed() const { return begun == slots && ended == slots; }
};

// The process's one observation: it plays one call at a time.
inline Observation& observation() {
  static Observation of_this_call;
  return of_this_call;
}

}  // namespace kbench
