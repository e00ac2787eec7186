// The bench of the machine itself (run_bench.hpp): oracle, sandbox, compilers, compiled baselines,
// workers, on a device session.
#pragma once

#include <memory>
#include <string>

#include "runner/device/device_session.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/run/run_bench.hpp"

namespace kbench {

// The request by which a run waits for its device; a bench may know more reasons not to wait.
// `order` and `installation` outlive it.
[[nodiscard]] LockRequest lock_request_of(const BenchOrder& order, const Installation& installation,
                                          const std::string& what, double seconds);

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
