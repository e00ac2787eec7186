// The supervisor's view of a player: a process that maps shared arenas, waits on a mailbox for
// "go", does one call of one side, says "done", and stands still whenever it is not its turn. The
// untrusted worker is one; on CPU another plays the baselines (beside a Python submission, eager
// has a worker of its own), so that all sides are woken, timed and stopped alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/measure/players/early_end.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/worker/mailbox.hpp"

namespace kbench {

struct PlayerCall {
  CallKind kind = CallKind::kNull;
  std::uint64_t parameter_base = 0;
  SlotPlaces places;
  std::uint32_t gate = 0;  // value that Oracle::reveal() returned
  std::chrono::milliseconds timeout{10'000};
  bool copies_outputs = false;  // Python: within the call, if its memory cannot be read
  // CPU: the time between two stops of the call, which show where its threads are
  // (code_profile.hpp); each makes the call longer. 0: the call is left alone.
  std::chrono::nanoseconds look_every{0};
  // The time before the first stop, of which nothing has told the player. 0: like the others.
  std::chrono::nanoseconds first_look{0};
};

struct PlayerAnswer {
  // Set when the call did not complete: crash, timeout, or a non-zero status.
  std::optional<EarlyEnd> failure;
  std::int64_t claimed_ns = 0;  // the player's word
  // The supervisor's clock, from raising go to seeing done. On CPU: with continuing the player.
  std::int64_t wall_ns = 0;
  std::int64_t done_at_ns = 0;  // when that was, on the steady clock
  std::int64_t switches = 0;    // baselines: times that the kernel took a core away meanwhile
  std::int64_t waited_ns = 0;   // CPU: wait of its threads for a busy core
  OutputPlaces places = {};     // Python: of its outputs, held against what may be
  bool copied = false;          // Python: an output was copied to the arena within the call
};

class Player {
 public:
  virtual ~Player() = default;
  // Waits until the player takes calls, and stops it.
  virtual std::optional<EarlyEnd> await_ready(std::chrono::milliseconds timeout) = 0;
  // Makes one call. The player's processes run only inside of it; they are stopped before and
  // after.
  virtual PlayerAnswer call(const PlayerCall& call) = 0;
};

}  // namespace kbench
