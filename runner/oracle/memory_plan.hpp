// The device memory that an evaluation will take, planned before anything is allocated: a task that
// cannot fit is refused when it is loaded, and never crashes later.
#pragma once

#include <cstdint>
#include <string>

#include "runner/task/task.hpp"

namespace kbench {

// The most memory, in bytes, that evaluating takes with one slot: arenas, private copies and a
// snapshot of the outputs, and on top the largest of the reference run (float64), eager's runs
// against it, and the compiled baseline's beside eager's outputs. A graph's peak counts its
// outputs, not its inputs. `seats`: players that map arenas of their own.
[[nodiscard]] std::uint64_t planned_bytes(const TaskSize& size, std::uint64_t inputs,
                                          std::uint64_t params, std::uint64_t outputs,
                                          std::uint64_t seats = 1);

// The part of planned_bytes() that is taken once arenas and private copies are there.
[[nodiscard]] std::uint64_t planned_later(const TaskSize& size, std::uint64_t inputs,
                                          std::uint64_t params, std::uint64_t outputs,
                                          std::uint64_t seats = 1);

// "1.5 GiB".
[[nodiscard]] std::string gibibytes(std::uint64_t bytes);

}  // namespace kbench
