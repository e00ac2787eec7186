// The calibrations of this machine's devices: a file for each in calibrations/ of kbench's state
// folder, which outlives results, so that the calibration of one device changes nothing of another.
// A run copies into each row the one that fits its device. A device without a file of its own has
// what stands in calibration.json there, which older versions kept for all devices.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/core/device_limits.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/machine/device_facts.hpp"
#include "runner/machine/target.hpp"

namespace kbench {

// The device, driver and kbench that a calibration holds for, and for no other.
struct CalibratedDevice {
  std::string device;  // "cpu" or "cuda"
  std::string
      identity;        // the GPU's UUID (its name where no UUID is known), or the CPU and its cores
  std::string name;    // name that people read
  std::string driver;  // the GPU's driver, or the kernel's release
  std::string kbench;  // version, and protocol

  bool operator==(const CalibratedDevice&) const = default;
};
[[nodiscard]] CalibratedDevice describe_device(const Target& target, const DeviceFacts& facts);

// The same by what the supervisor knows without asking the device.
[[nodiscard]] CalibratedDevice describe_device(const Target& target);

struct StoredCalibration {
  CalibratedDevice device;
  Calibration calibration;                            // `kbench selftest timing`
  int runs = 0;                                       // number of runs behind it
  std::string database;                               // database with their samples
  int failed_checks = 0;                              // checks of the clock; any makes it doubtful
  bool has_timing = true;                             // no: it was not measured yet
  std::optional<DeviceLimits> limits = std::nullopt;  // `kbench calibrate --only limits`
};

// All that are kept, each device's own file before the old one. Errors: kBadInput for the first
// file that is damaged, by its name.
[[nodiscard]] Result<std::vector<StoredCalibration>> read_calibrations(
    const std::filesystem::path& state);

// The one for this very device, driver and kbench.
[[nodiscard]] std::optional<Calibration> find_calibration(std::span<const StoredCalibration> all,
                                                          const CalibratedDevice& device);
// The same in the device's file, or in the old one where it has none. Errors: kBadInput where that
// file is damaged, by its name.
[[nodiscard]] Result<std::optional<Calibration>> find_calibration(
    const std::filesystem::path& state, const CalibratedDevice& device);

// Checks of the clock that failed when this very device was calibrated; zero without a calibration.
[[nodiscard]] int failed_clock_checks(std::span<const StoredCalibration> all,
                                      const CalibratedDevice& device);
// The same in the device's file, or in the old one where it has none. Zero where it is damaged.
[[nodiscard]] int failed_clock_checks(const std::filesystem::path& state,
                                      const CalibratedDevice& device);

// The reason in words: never calibrated, or a damaged file; empty where there is a calibration.
[[nodiscard]] std::string why_uncalibrated(const std::filesystem::path& state,
                                           const CalibratedDevice& device);

// The devices of a command that have no calibration.
struct Uncalibrated {
  std::vector<std::string> places;  // "cpu", "cuda:1"
  std::string why;                  // the reason; of several devices, which lack one and why

  // "cuda:1,cuda:3", as --device and --devices take it.
  [[nodiscard]] std::string words() const;
};
[[nodiscard]] Uncalibrated find_uncalibrated(const std::filesystem::path& state,
                                             std::span<const Target> targets);

// The limits of this very device, driver and kbench. Errors: kBadInput where the file is damaged.
[[nodiscard]] Result<std::optional<DeviceLimits>> find_limits(const std::filesystem::path& state,
                                                              const CalibratedDevice& device);

// Replaces what was known of the device, and a file of it that is damaged; limits of this very
// device, driver and kbench stay. Errors: kUsage without a state folder, kInfrastructure.
[[nodiscard]] Status keep_calibration(const std::filesystem::path& state,
                                      const StoredCalibration& calibration);
// The other half: what `selftest timing` measured of this very device, driver and kbench stays.
[[nodiscard]] Status keep_limits(const std::filesystem::path& state, const CalibratedDevice& device,
                                 const DeviceLimits& limits);

}  // namespace kbench
