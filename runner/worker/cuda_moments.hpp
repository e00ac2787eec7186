// Moments in the work of one CUDA stream, and how long the device took from one to another: what
// part of a call is what. They are in the process of a Python submission: what they say is its
// word, like every claim.
#pragma once

#include <cstdint>
#include <memory>

#include "runner/core/result.hpp"

namespace kbench {

class CudaMoments {
 public:
  // Moments on a stream of the context that is current in this thread; both live as long as the
  // process. Errors: kInfrastructure without a driver.
  static Result<CudaMoments> of(void* stream);
  CudaMoments(CudaMoments&&) noexcept;
  CudaMoments& operator=(CudaMoments&&) noexcept;
  ~CudaMoments();

  // Notes a moment behind all that is queued on the stream by now. Returns its number, or -1 where
  // that cannot be: too many of them, an error of the device, a stream whose work is being
  // captured.
  [[nodiscard]] int mark();
  // Nanoseconds of the device between two moments, once both have come; -1 where it is unknown.
  [[nodiscard]] std::int64_t between(int from, int to) const;
  // Forgets all numbers: they begin at 0 again.
  void forget();

 private:
  struct Impl;
  explicit CudaMoments(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbench
