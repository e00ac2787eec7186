// One call through a mailbox by the supervisor's clock: the same function for every player.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "runner/measure/players/player.hpp"

namespace kbench {

// Questions and orders while a call lasts: every 20 ms, or when the call is looked at.
struct WhileWaiting {
  std::function<bool()> is_over;  // there will be no answer: it ended
  // CPU: whether the player's threads wait for cores that they do not get, and the function that
  // moves them then.
  std::function<bool(std::chrono::nanoseconds into_call)> has_stalled;
  std::function<void()> move_threads;
  // CPU: continues the player, once go is raised and the clock runs; false where that fails.
  std::function<bool()> let_run = [] { return true; };
  // CPU: stops the player again, as soon as it is seen to be done.
  std::function<void()> stop = [] {};
  // CPU: looks at the player, as often as the call says.
  std::function<void()> look = [] {};
};

struct MailboxCall {
  bool answered = false;
  std::uint32_t done = 0;       // the number of the call that it says is done
  std::int64_t wall_ns = 0;     // time from raising go to seeing done
  std::int64_t done_at_ns = 0;  // when that was, on the steady clock
};

// Raises go to `number` and waits for done, for as long as the call's timeout says. On CPU the
// calling thread waits on the first core (core_pin.hpp), unless the call is looked at or has
// stalled.
[[nodiscard]] MailboxCall go_and_wait(Mailbox& mailbox, const PlayerCall& call,
                                      std::uint32_t number, WaitStyle style,
                                      const WhileWaiting& meanwhile);

}  // namespace kbench
