// The samples behind a row as compact JSON for the page's sample plot. A run of 2,500 rows may hold
// a million samples, so that a sample costs its digits and a comma.
#pragma once

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// Null without samples, else
//   {"session": [0, 0, 1, …],      of each block, in order: which set of buffers and processes
//    "block": [0, 1, 2, …],        its number; left out where it is the position
//    "eager": [[t, t], t, …],      nanoseconds a call: for each block its visits, a bare number
//    "compiled": …                 where there is one, null where there is none
//    "submission": …,
//    "alone": {"eager": [t, …]},   baselines timed without the submission beside them
//    "dropped": [["eager", position of the block, visit, reason], …],
//    "reasons": ["…"]}
[[nodiscard]] Json samples_json(const Evaluation& evaluation);

}  // namespace kbench
