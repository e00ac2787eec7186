// SIGINT and SIGTERM, which ask a command to stop. By themselves they end it at once, with a last
// line (end_with_a_last_line). As a flag (InterruptGuard): the first one lets
// the evaluation at hand finish and be saved, the second ends the program at once (what is stored
// stays stored). As something to read (signals_to_read), for commands that wait for several things:
// the reader tells a run by a function that it is to end.
#pragma once

#include <chrono>
#include <functional>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

// From now on either signal ends this process with `exit_code`, once it has printed `line` on
// standard error. A signal that is ignored stays ignored. `line` outlives the process.
void end_with_a_last_line(const char* line, int exit_code);

// Installs the handler while it lives. Where one guard lives within another, the outermost decides
// how long the handler stays and the flag holds. Not for several threads.
class InterruptGuard {
 public:
  // `stop`: whether to stop for another reason; may be empty.
  explicit InterruptGuard(std::function<bool()> stop = {});
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool interrupted() const;

 private:
  std::function<bool()> stop_;
};

// A signalfd of both, which are blocked from now on, also in threads that are started later. To be
// called before there are any. Errors: kInfrastructure.
[[nodiscard]] Result<UniqueFd> signals_to_read();
// Takes one of them from that descriptor, if one comes in time.
[[nodiscard]] bool take_signal(const UniqueFd& signals, std::chrono::milliseconds wait);

}  // namespace kbench
