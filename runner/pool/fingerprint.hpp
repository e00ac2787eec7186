// Facts that the machines of a group must share, as rows of one answer for another: kbench,
// torch, compilers, driver and device. The keys of rows have a part of it; the rest would go
// unnoticed. Pure functions.
#pragma once

#include <string>

#include "runner/core/json.hpp"

namespace kbench {

struct Fingerprint {
  std::string kbench;
  std::string torch;
  std::string host_compiler;
  std::string nvcc;    // empty without one
  std::string driver;  // empty on a CPU
  std::string device_name;
};

[[nodiscard]] Json fingerprint_json(const Fingerprint& fingerprint);

// The first name at which two sets of terms differ, with both values: "driver is 580.65.06 there
// and 570.1 here". Empty where they agree.
[[nodiscard]] std::string difference_of_terms(const Json& there, const Json& here);

// The same among the names of a fingerprint, as far as both have them.
[[nodiscard]] std::string difference_of_machines(const Json& there, const Json& here);

}  // namespace kbench
