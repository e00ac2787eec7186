// The bench (run_bench.hpp) of a run with lanes, on several devices of this machine or on its CPU:
// this process plans, builds and stores, and a lane on each device measures (device_lane.hpp).
#pragma once

#include <memory>
#include <optional>

#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/run_bench.hpp"

namespace kbench {

// A bench on plan.devices, or as many of them as there are cores for; `installation` has its
// LibTorch. Errors: kUsage where there are too few cores for any.
[[nodiscard]] Result<std::unique_ptr<RunBench>> make_lanes_bench(const BenchOrder& order,
                                                                 Installation installation,
                                                                 std::optional<PythonParts> python,
                                                                 DeviceSession& device,
                                                                 const Toolchain& toolchain);

}  // namespace kbench
