// The judge of `kbench serve`: evaluates as `kbench run` does, several orders in one run, and
// answers with the rows of the store.
#pragma once

#include <memory>
#include <string>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/serve/judge.hpp"

namespace kbench {

struct ServedDevice {
  std::string kind;  // "cpu", "cuda"
  std::string name;  // "NVIDIA H200"
};

class ServingJudge : public Judge {
 public:
  [[nodiscard]] virtual const ServedDevice& device() const = 0;
};

// Makes the database where it is missing. The session outlives the judge, and has its tools found.
// Errors: those of choosing a device, of reading the suite
// and of opening the store; kInfrastructure where there is no oracle to measure with.
[[nodiscard]] Result<std::unique_ptr<ServingJudge>> make_serve_judge(const ServeOptions& options,
                                                                     DeviceSession& device);

}  // namespace kbench
