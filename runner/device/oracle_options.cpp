#include "runner/device/oracle_options.hpp"

#include "runner/core/usable_cores.hpp"

namespace kbench {

OracleOptions oracle_options(Sandbox& sandbox, const Installation& installation,
                             const Target& target, const std::string& precision) {
  OracleOptions options;
  options.sandbox = &sandbox;
  options.program = target.device == "cuda" ? installation.oracle_cuda : installation.oracle;
  options.device = target.device;
  options.device_index = target.device_index;
  options.threads = usable_threads();
  options.precision = precision;
  options.libraries = installation.torch_libraries;
  options.log = installation.cache / "oracle.log";
  return options;
}

}  // namespace kbench
