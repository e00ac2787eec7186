// Units that an estimate is generalised over. Effects are found in states; states of one
// trajectory, and trajectories of one task, are no independent witnesses. The unit is the widest
// kind of which there are enough. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runner/attribution/estimate.hpp"
#include "runner/attribution/studied_states.hpp"

namespace kbench {

enum class UnitKind { kTask, kTrajectory, kState };  // widest first

// "task", "trajectory", "state".
[[nodiscard]] std::string_view to_string(UnitKind kind);

struct StateEffect {
  const StudiedState* state = nullptr;
  double effect = 0;
};

struct UnitEffect {
  std::size_t unit = 0;  // number of its name
  double mean = 0;       // over its states
};

// Effects in alphabetical order of the units. Empty where a state's unit of that kind is not known.
// The names of the states are numbered together (number_names).
using UnitEffects = std::vector<UnitEffect>;
[[nodiscard]] UnitEffects by_unit(const std::vector<StateEffect>& effects, UnitKind kind);

// The widest kind of which there are kLeastUnits or more; states where there is none.
[[nodiscard]] UnitKind widest_kind(const std::vector<StateEffect>& effects);

[[nodiscard]] std::vector<double> values_in(const UnitEffects& effects);

}  // namespace kbench
