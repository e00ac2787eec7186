// The order in which the units of a run are measured: `kbench run --order`, and the queue from
// which lanes pull them. It decides when a row is measured and nothing that it says: a row's draws
// depend neither on its place nor on what else was selected. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kbench {

enum class UnitOrder {
  kTask,      // the plan's order: task, agent, variant
  kShuffled,  // a random order: what drifts on the machine favours no task
  kLongest,   // longest rows before come first; rows without a time come last
};

// Sorts `units`, of which `seconds` has the expected durations (0: unknown). `seed` is what a
// shuffled order is drawn from.
void order_units(UnitOrder order, const std::vector<double>& seconds, const std::string& seed,
                 std::vector<std::size_t>& units);

// The units that are still to be measured, in the order in which lanes pull them. A unit whose lane
// died is tried once more, before all others, and then given up.
class UnitQueue {
 public:
  static constexpr int kMostTries = 2;

  explicit UnitQueue(const std::vector<std::size_t>& units) : units_(units.begin(), units.end()) {}

  // The next unit; nothing once all are pulled.
  [[nodiscard]] std::optional<std::size_t> pull() {
    if (units_.empty()) return std::nullopt;
    const std::size_t unit = units_.front();
    units_.pop_front();
    ++tries_[unit];
    return unit;
  }

  // Puts a unit back. False if it has had all of its tries.
  [[nodiscard]] bool give_back(std::size_t unit) {
    if (tries_[unit] >= kMostTries) return false;
    units_.push_front(unit);
    return true;
  }

  [[nodiscard]] bool empty() const { return units_.empty(); }
  [[nodiscard]] std::size_t left() const { return units_.size(); }

 private:
  std::deque<std::size_t> units_;
  std::map<std::size_t, int> tries_;
};

}  // namespace kbench
