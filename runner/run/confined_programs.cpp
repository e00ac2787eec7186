#include "runner/run/confined_programs.hpp"

#include <unistd.h>

#include <algorithm>

#include "runner/device/oracle_options.hpp"
#include "runner/machine/target.hpp"
#include "runner/run/baseline_packages.hpp"

namespace kbench {

ConfinedPrograms confined_programs(const Installation& installation, int cuda_device) {
  Target target;
  target.device = cuda_device >= 0 ? "cuda" : "cpu";
  target.device_index = std::max(cuda_device, 0);
  const auto& oracle = cuda_device >= 0 ? installation.oracle_cuda : installation.oracle;

  ConfinedPrograms programs;
  if (::access(oracle.c_str(), X_OK) == 0)
    programs.oracle = [&installation, target](const auto& scratch) {
      return oracle_command(installation, target, scratch);
    };
  if (!installation.python.empty())
    programs.builder = [&installation, target](const auto& scratch) {
      return builder_command(installation, target, scratch);
    };
  return programs;
}

}  // namespace kbench
