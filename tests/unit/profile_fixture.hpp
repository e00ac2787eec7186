// Recorded calls as tests write them: times in microseconds, on a device of 132 multiprocessors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/profile/facts.hpp"

namespace kbench::test {

inline Activity kernel(const std::string& name, double start_us, double end_us) {
  Activity made;
  made.name = name;
  made.start_ns = static_cast<std::int64_t>(start_us * 1000);
  made.end_ns = static_cast<std::int64_t>(end_us * 1000);
  made.stream = 7;
  made.grid = {4096, 1, 1};
  made.block = {256, 1, 1};
  made.registers = 32;
  return made;
}

inline ProfiledCall call_of(double us, std::vector<Activity> activities) {
  return {static_cast<std::int64_t>(us * 1000), 0, std::move(activities)};
}

// Work of 30 us by its bytes and of 10 us by its products in fp32, 1 us in tf32.
inline ProfileInput input_of(std::vector<ProfiledCall> calls) {
  ProfileInput input;
  input.device.kind = DeviceKind::kCuda;
  input.device.name = "a recorded device";
  input.device.sm_count = 132;
  input.device.compute_capability = 90;
  input.device.shared_bytes_per_block = 227 << 10;
  input.precision = "fp32";
  input.work.read_bytes = 30e-6 * 4e12;
  input.work.products = input.work.needed_products = 10e-6 * 50e12;
  input.work.least_products = input.work.direct_products = input.work.products;
  DeviceLimits limits;
  limits.copy.value = 4e12;
  limits.products["fp32"].value = 50e12;
  limits.products["tf32"].value = 500e12;
  limits.measured_at = "2026-11-28T12:00:00Z";
  input.limits = limits;
  input.recorded.calls = std::move(calls);
  return input;
}

}  // namespace kbench::test
