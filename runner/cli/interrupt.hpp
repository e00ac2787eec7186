// Ctrl-C during a run: the first one lets the evaluation at hand finish and be saved, the second
// ends the program at once (what is stored stays stored).
#pragma once

namespace kbench {

// Installs the handler while it lives.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool interrupted() const;
};

}  // namespace kbench
