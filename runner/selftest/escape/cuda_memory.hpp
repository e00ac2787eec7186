// As much of the CUDA driver API as it takes to look for foreign data: one context, memory, copies
// to the host. Loaded at run time, so that kbench-escape runs where there is no driver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runner/core/result.hpp"

namespace kbench {

inline constexpr std::uint64_t kGpuSecret = 0x6b62656e63682121;  // value in the victim's memory

class CudaMemory {
 public:
  // Errors: kInfrastructure: no driver, or no such device.
  static Result<CudaMemory> open(int device);

  // A device address, 0 when there is no memory left. Lives as long as the process.
  [[nodiscard]] std::uint64_t allocate(std::size_t bytes) const;
  // Both functions return a CUresult, 0 for success.
  [[nodiscard]] int read(std::uint64_t address, void* to, std::size_t bytes) const;
  [[nodiscard]] int write(std::uint64_t address, const void* from, std::size_t bytes) const;

 private:
  int (*allocate_)(std::uint64_t*, std::size_t) = nullptr;
  int (*read_)(void*, std::uint64_t, std::size_t) = nullptr;
  int (*write_)(std::uint64_t, const void*, std::size_t) = nullptr;
};

}  // namespace kbench
