#include "runner/device/oracle_options.hpp"

#include "runner/core/usable_cores.hpp"

namespace kbench {

namespace {

OracleOptions options_of(const Installation& installation, const Target& target,
                         const std::string& precision) {
  OracleOptions options;
  options.program = target.device == "cuda" ? installation.oracle_cuda : installation.oracle;
  options.device = target.device;
  options.device_index = target.device_index;
  options.threads = usable_threads();
  options.precision = precision;
  options.libraries = installation.torch_libraries;
  options.log = installation.cache / "oracle.log";
  return options;
}

}  // namespace

OracleOptions oracle_options(Sandbox& sandbox, const Installation& installation,
                             const Target& target, const std::string& precision) {
  OracleOptions options = options_of(installation, target, precision);
  options.sandbox = &sandbox;
  return options;
}

Result<SandboxCommand> oracle_command(const Installation& installation, const Target& target,
                                      const std::filesystem::path& scratch) {
  return confined_oracle(options_of(installation, target, "torch-default"), scratch);
}

}  // namespace kbench
