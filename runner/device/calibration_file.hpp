// Where the calibrations of this machine's devices are kept: calibration.json in kbench's state
// folder, which outlives results. A run copies into each row the one that fits its device. Written
// by `kbench selftest timing`, read by run and doctor.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/backend/target.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// The device, driver and kbench that a calibration holds for, and for no other.
struct CalibratedDevice {
  std::string device;  // "cpu" or "cuda"
  std::string
      identity;        // the GPU's UUID (its name where no UUID is known), or the CPU and its cores
  std::string name;    // for people
  std::string driver;  // of the GPU, or the kernel's release
  std::string kbench;  // version, and protocol

  bool operator==(const CalibratedDevice&) const = default;
};
[[nodiscard]] CalibratedDevice describe_device(const Target& target, const DeviceFacts& facts);

// The same by what the supervisor knows without asking the device.
[[nodiscard]] CalibratedDevice describe_device(const Target& target);

struct StoredCalibration {
  CalibratedDevice device;
  Calibration calibration;
  int runs = 0;          // behind it
  std::string database;  // with their samples
};

// All that are kept; empty without a file. Errors: kBadInput for one that is damaged.
[[nodiscard]] Result<std::vector<StoredCalibration>> read_calibrations(
    const std::filesystem::path& state);

// The one for this very device, driver and kbench.
[[nodiscard]] std::optional<Calibration> find_calibration(std::span<const StoredCalibration> all,
                                                          const CalibratedDevice& device);
// The same in the file. Whatever is wrong with that, there is none.
[[nodiscard]] std::optional<Calibration> find_calibration(const std::filesystem::path& state,
                                                          const CalibratedDevice& device);

// Replaces what was known of the device. Errors: kUsage without a state folder, kInfrastructure.
[[nodiscard]] Status keep_calibration(const std::filesystem::path& state,
                                      const StoredCalibration& calibration);

}  // namespace kbench
