// The bench of the machine itself (run_bench.hpp): oracle, sandbox, compilers, compiled baselines,
// workers, on a device session.
#pragma once

#include <memory>

#include "runner/device/device_session.hpp"
#include "runner/run/run_bench.hpp"

namespace kbench {

class DeviceBenches final : public BenchSource {
 public:
  // The session outlives it.
  explicit DeviceBenches(DeviceSession& device) : device_(device) {}

  [[nodiscard]] const Installation& installation() const override { return device_.installation(); }
  void prepare() override { device_.prepare(); }
  Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override;

 private:
  DeviceSession& device_;
};

}  // namespace kbench
