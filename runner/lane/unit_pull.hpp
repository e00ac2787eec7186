// The loop by which lanes measure: a free lane pulls the next unit, and the unit's result goes to
// the owner of the units. A unit whose lane died, or could not begin it, is tried once more; a lane
// whose device is lost leaves, and the others go on. The loop knows nothing of what a unit is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/lane/lane_fleet.hpp"
#include "runner/lane/lane_message.hpp"

namespace kbench {

// The owner of units, which are numbers to the loop. Virtual because a room is handed what another
// one does: a run stores rows, a synthesis keeps findings. An error of any function ends the loop.
class UnitOwner {
 public:
  virtual ~UnitOwner() = default;

  // Whether further units are handed out; asked before each. Units at hand are finished in any
  // case.
  [[nodiscard]] virtual bool goes_on() = 0;
  // The request for the unit; nothing where it needs no lane, and is done.
  virtual Result<std::optional<LaneRequest>> begin(std::size_t lane, std::size_t unit) = 0;
  // Takes the unit's result. False where the result says nothing and another lane is to try, which
  // is possible only if `may_repeat`.
  virtual Result<bool> end(std::size_t lane, std::size_t unit, const LaneResult& result,
                           bool may_repeat) = 0;
  // The unit has had all of its tries, and has no result.
  virtual Status give_up(std::size_t lane, std::size_t unit, const Error& why) = 0;
  // The lane is out.
  virtual void lose(std::size_t lane, const Error& why) = 0;
  // Called between two looks at the lanes, a few times a second at least.
  virtual Status tick() { return Done{}; }
  // The unit's name for people.
  [[nodiscard]] virtual std::string name_of(std::size_t unit) const = 0;
};

// The lanes that measure a unit.
enum class UnitShare {
  kAnyLane,  // the first one that is free
  kEachLane  // every one
};

// Has the lanes, which are ready, measure the units in this order; `progress` is told of those at
// hand and how many are done. Returns the number of units that nobody has measured, since the owner
// does not go on or no lane is left. Errors: the owner's.
[[nodiscard]] Result<std::size_t> pull_units(LaneFleet& lanes,
                                             const std::vector<std::size_t>& units, UnitShare share,
                                             UnitOwner& owner, ProgressSink& progress);

}  // namespace kbench
