// Ctrl-C during a run: the first one lets the evaluation at hand finish and be saved, the second
// ends the program at once (what is stored stays stored). A caller that blocks the signals, because
// it takes them itself, says by a function that the run is to end.
#pragma once

#include <functional>

namespace kbench {

// Installs the handler while it lives.
class InterruptGuard {
 public:
  // `stop`: RunOptions::stop; may be empty.
  explicit InterruptGuard(std::function<bool()> stop = {});
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool interrupted() const;

 private:
  std::function<bool()> stop_;
};

}  // namespace kbench
