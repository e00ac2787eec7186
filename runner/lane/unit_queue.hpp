// The units that are still to be measured, in the order in which lanes pull them. A unit whose lane
// died is tried once more, before all others, and then given up. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace kbench {

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

  // Whether a unit that was pulled has not had all of its tries.
  [[nodiscard]] bool may_repeat(std::size_t unit) const {
    const auto tries = tries_.find(unit);
    return tries == tries_.end() || tries->second < kMostTries;
  }
  // Puts a unit back. False if it has had all of its tries.
  [[nodiscard]] bool give_back(std::size_t unit) {
    if (!may_repeat(unit)) return false;
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
