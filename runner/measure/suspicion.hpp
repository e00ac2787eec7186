// When a result is too good to be believed at once. What is faster than the device can move its
// data or multiply, or more than ten times faster than the faster baseline, is measured again by
// the evaluator: fresh processes, new key. So is what the clocks contradict. Where two measurements
// disagree there is a third. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// Why a finished evaluation is to be measured again; empty when it is not. That other programs kept
// the machine busy is a reason where `repeat_busy` says so.
[[nodiscard]] std::string reason_to_repeat(const Evaluation& evaluation, bool repeat_busy = false);

// The samples of two measurements as of one: blocks and placements are numbered through.
[[nodiscard]] std::vector<Sample> joined(std::span<const Sample> first,
                                         std::span<const Sample> second);

// Whether clocks, a disturbed device or time run while stopped speak against an evaluation.
// Other programs on the machine can have that effect too (a thread that leaves its core counts the
// time for which a hypervisor took the core away), so one measurement accuses no submission.
[[nodiscard]] bool is_contradicted(const Evaluation& evaluation);

// The second measurement counts, whether or not it agrees; a label tells of the first.
[[nodiscard]] Evaluation confirm(const Evaluation& first, Evaluation second);

// Whether two quiet measurements that succeeded differ by more than the clock and the machine's
// pace explain.
[[nodiscard]] bool disagree(const Evaluation& first, const Evaluation& second);

// The result of two measurements that agree: a failure of the second counts, else the samples of
// both do. Where both lie below the floor, the slower is `suspect`. Where the machine was busy both
// times, no submission is accused, and reports let no speed-up count (reports/facts/credit.hpp).
[[nodiscard]] Evaluation settle(Evaluation first, Evaluation second, const std::string& reason);

// The result of three measurements, of which the first two disagree: a failure of the third counts,
// else two that agree do, else the slowest of them. No submission is accused of that; the label
// `unstable` tells of it. Two that agree below the floor are `suspect`.
[[nodiscard]] Evaluation settle(Evaluation first, Evaluation second, Evaluation third,
                                const std::string& reason);

}  // namespace kbench
