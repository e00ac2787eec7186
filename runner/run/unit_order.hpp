// The order in which the units of a run are measured: `kbench run --order`. It decides when a row
// is measured and nothing that it says: a row's draws depend neither on its place nor on what else
// was selected. Pure.
#pragma once

#include <cstddef>
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

}  // namespace kbench
