#include "runner/measure/players/mailbox_call.hpp"

#include <atomic>
#include <functional>
#include <optional>

#include "runner/measure/watch/core_pin.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

void write_call(MailboxPage& page, const PlayerCall& call) {
  page.kind = call.kind;
  page.slots = 1;
  page.gate = call.gate;
  page.parameter_base = call.parameter_base;
  page.input_base[0] = call.places.input_base;
  page.output_base[0] = call.places.output_base;
  page.copies_outputs = call.copies_outputs ? 1 : 0;
}

// Asks when the first look is due and then as often as the call says, until it is told to give up.
bool wait_and_look(std::atomic<std::uint32_t>& done, std::uint32_t old,
                   const std::function<bool()>& ask, const PlayerCall& call) {
  bool gives_up = false;
  const auto ask_once = [&] {
    gives_up = ask();
    return true;
  };
  const auto wait = [&](const std::function<bool()>& when_due, std::chrono::nanoseconds every) {
    return Mailbox::wait_while_equal(done, old, WaitStyle::kSpin, when_due, every);
  };
  const bool is_first = call.first_look.count() > 0;
  return wait(ask_once, is_first ? call.first_look : call.look_every) ||
         (!gives_up && wait(ask, call.look_every));
}

}  // namespace

MailboxCall go_and_wait(Mailbox& mailbox, const PlayerCall& call, std::uint32_t number,
                        WaitStyle style, const WhileWaiting& meanwhile) {
  MailboxPage& page = mailbox.page();
  write_call(page, call);
  const bool looked_at = style == WaitStyle::kFutex && call.look_every.count() > 0;
  std::optional<CorePin> pin;
  if (style == WaitStyle::kFutex && !looked_at) pin.emplace();
  const auto deadline = Clock::now() + call.timeout;
  MailboxCall result;
  const auto start = Clock::now();
  Mailbox::raise(page.go, number, style);
  if (style == WaitStyle::kFutex && !meanwhile.let_run()) return result;
  const auto ask = [&] {
    if (looked_at) meanwhile.look();
    if (style == WaitStyle::kFutex && meanwhile.has_stalled(Clock::now() - start)) {
      pin.reset();
      meanwhile.move_threads();
    }
    return meanwhile.is_over() || Clock::now() > deadline;
  };
  // Some virtual machines wake a sleeper after milliseconds only: the watching thread stays awake.
  result.answered = looked_at ? wait_and_look(page.done, number - 1, ask, call)
                              : Mailbox::wait_while_equal(page.done, number - 1, style, ask);
  const auto stop = Clock::now();
  if (result.answered && style == WaitStyle::kFutex) meanwhile.stop();
  result.wall_ns = std::chrono::nanoseconds(stop - start).count();
  result.done_at_ns = std::chrono::nanoseconds(stop.time_since_epoch()).count();
  if (result.answered) result.done = page.done.load(std::memory_order_acquire);
  return result;
}

}  // namespace kbench
