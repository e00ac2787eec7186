// Whether a call took less time than the device needs for it: then something was left out, or the
// clock is wrong. Pure functions of the raw record, asked while measuring (measure/suspicion) and
// by every report, so that no such row ranks, even if the machine was disturbed.
#pragma once

#include <optional>
#include <string>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Nanoseconds that a call needs at least: the floor of task and device (measure/task_limit), or 80
// % of a baseline's time where that is less. The device's peaks were measured once, before; another
// machine on the same host may have had its memory bus then and not now. What a baseline did beside
// the submission can be done. Empty where the floor is unknown.
[[nodiscard]] std::optional<double> least_time_ns(const Evaluation& evaluation);

[[nodiscard]] bool is_below_floor(const Evaluation& evaluation);

// "0.0002 ms a call, and the device needs at least 0.1 ms".
[[nodiscard]] std::string below_floor_words(const Evaluation& evaluation);

}  // namespace kbench
