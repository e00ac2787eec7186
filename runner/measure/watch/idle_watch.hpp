// Finds work that a submission left on a GPU: the oracle's own kernels then take longer than alone,
// and a baseline that runs after the submission longer than one that runs before it. (On a CPU the
// worker's processes are stopped, and watched, instead.) Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

class IdleWatch {
 public:
  // Notes a cache flush with no worker there, nanoseconds.
  void alone(std::int64_t flush_ns) { alone_.push_back(static_cast<double>(flush_ns)); }
  // Notes a cache flush before a call beside a worker.
  void beside(std::int64_t flush_ns) { beside_.push_back(static_cast<double>(flush_ns)); }

  // Words for the reader when the device was not idle. Samples: all timed visits.
  [[nodiscard]] std::optional<std::string> finding(std::span<const Sample> samples) const;

 private:
  [[nodiscard]] std::optional<std::string> slow_flushes() const;

  std::vector<double> alone_;
  std::vector<double> beside_;
};

// Samples in the order they were taken. In a block each baseline runs once before and once after
// the submission; words when it is clearly slower after it, nearly always.
[[nodiscard]] std::optional<std::string> slowed_baseline(std::span<const Sample> samples);

}  // namespace kbench
