// Facts from the NVIDIA driver about its GPUs (NVML), by dlopen: nothing is linked, no header of
// the toolkit is needed, no CUDA context is made. Read by doctor, the run's environment and the
// probe. Every question answers with an empty optional where the driver does not know. GPUs are
// numbered in PCI order and as hardware: neither CUDA_VISIBLE_DEVICES nor MIG is seen here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kbench {

class Nvml {
 public:
  // Empty without libnvidia-ml.so.1, or when the driver does not answer.
  static std::optional<Nvml> open();
  Nvml(Nvml&&) noexcept;
  Nvml& operator=(Nvml&&) noexcept;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] std::optional<std::string> driver_version() const;  // "580.65.06"
  [[nodiscard]] int device_count() const;

  [[nodiscard]] std::optional<std::string> name(int device) const;
  [[nodiscard]] std::optional<int> compute_capability(int device) const;  // 10 * major + minor
  [[nodiscard]] std::optional<std::uint64_t> memory_bytes(int device) const;
  [[nodiscard]] std::optional<std::int64_t> sm_clock_khz(int device) const;  // now
  [[nodiscard]] std::optional<std::int64_t> max_sm_clock_khz(int device) const;
  // The cores of the GPU's NUMA node; empty where the driver does not know.
  [[nodiscard]] std::vector<int> near_cores(int device) const;
  // Why the clock is not higher at this moment: "power cap", "thermal slowdown", ... An empty list
  // means that nothing holds it back.
  [[nodiscard]] std::optional<std::vector<std::string>> clock_limits(int device) const;
  // The limits as the bits of nvmlDeviceGetCurrentClocksEventReasons.
  [[nodiscard]] std::optional<std::uint64_t> clock_limit_bits(int device) const;
  [[nodiscard]] std::optional<std::string> uuid(int device) const;  // "GPU-…"

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
};

// The names of the bits of nvmlDeviceGetCurrentClocksEventReasons; unknown bits appear in hex.
[[nodiscard]] std::vector<std::string> clock_limit_names(std::uint64_t reasons);

}  // namespace kbench
