// Facts that were found of a machine and its device, as text for a terminal: doctor's findings, the
// device's limits, the selftests of clock and sandbox. Text of others is made safe to show.
#pragma once

#include <string>
#include <vector>

#include "runner/again/clock_selftest.hpp"
#include "runner/core/device_sheet.hpp"
#include "runner/device/calibrated_limits.hpp"
#include "runner/device/examination.hpp"
#include "runner/options/terminal.hpp"
#include "runner/selftest/selftest.hpp"

namespace kbench {

// Two lines each: what was found, and what to do about it.
[[nodiscard]] std::string findings_text(const std::vector<Finding>& findings, const Terminal& out);

// `sheet`: what the maker states; null where unknown.
[[nodiscard]] std::string limits_text(const MeasuredDevice& measured, const DeviceSheet* sheet,
                                      const Terminal& out);
// The same of each device with its data sheet, one below the other; of several with their UUIDs.
[[nodiscard]] std::string limits_text(const std::vector<MeasuredDevice>& measured,
                                      const Terminal& out);

[[nodiscard]] std::string clock_text(const ClockFindings& findings, const Terminal& out);
// The same of each device, one below the other.
[[nodiscard]] std::string clock_text(const std::vector<ClockFindings>& findings,
                                     const Terminal& out);

// One escape, and the sandbox that all of them were tried in.
[[nodiscard]] std::string escape_text(const EscapeResult& result, const Terminal& out);
[[nodiscard]] std::string sandbox_text(const SandboxLevel& level);

}  // namespace kbench
