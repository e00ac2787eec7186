// The limits of a device, as `kbench calibrate` measured it once: bandwidth, multiplications
// by precision class, the cost of a launch. Bytes and operations count as in task/work.hpp.
#pragma once

#include <map>
#include <string>

#include "runner/core/json.hpp"

namespace kbench {

struct MeasuredLimit {
  double value = 0;   // rate of the best round
  double spread = 0;  // how far below it the median lies, relative to it
};

struct DeviceLimits {
  // Bytes a second. A copy counts what it reads and what it writes.
  MeasuredLimit copy;
  MeasuredLimit read;
  MeasuredLimit write;
  // Operations a second, a multiplication and an addition counting two. By precision class:
  // products of large square matrices ("fp32", "tf32", "fp16", "bf16", "fp64").
  std::map<std::string, MeasuredLimit> products;
  // CPU, by vector width ("128", "256", "512" bits): fused multiply-adds in float32 registers, on
  // all threads used.
  std::map<std::string, MeasuredLimit> vectors;
  // CUDA: nanoseconds from the end of one short kernel to that of the next.
  MeasuredLimit launch_ns;
  std::string measured_at;  // UTC, RFC 3339; empty: not measured

  // The highest of the three.
  [[nodiscard]] double bandwidth() const;
  // Rates of what a task reads and of what it writes: a copy may be faster than either alone.
  [[nodiscard]] double reading() const;
  [[nodiscard]] double writing() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuredLimit, value, spread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceLimits, copy, read, write, products, vectors, launch_ns,
                                   measured_at)

}  // namespace kbench
