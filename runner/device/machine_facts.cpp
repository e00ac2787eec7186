#include "runner/device/machine_facts.hpp"

#include <sys/utsname.h>

#include <optional>

#include "runner/core/usable_cores.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/container.hpp"

namespace kbench {
namespace {

Json describe_host() {
  utsname names{};
  ::uname(&names);
  return {{"kernel", names.release},
          {"machine", names.machine},
          {"container", container_runtime()},
          {"threads", usable_threads()}};
}

Json describe_gpu(const std::optional<GpuInfo>& gpu) {
  if (!gpu) return nullptr;
  Json described = {{"driver", gpu->driver}};
  if (gpu->max_sm_clock_khz) described["max_sm_clock_khz"] = *gpu->max_sm_clock_khz;
  if (gpu->clock_limits) described["clock_limits"] = *gpu->clock_limits;
  return described;
}

Json describe_calibration(const std::optional<Calibration>& calibration, int failed_checks) {
  if (!calibration) return nullptr;
  return {{"between_sessions", calibration->between_sessions},
          {"between_runs", calibration->between_runs},
          {"measured_at", calibration->measured_at},
          {"failed_checks", failed_checks}};
}

}  // namespace

Json describe_machine(const std::optional<GpuInfo>& gpu, const OracleHello& oracle,
                      const Toolchain& toolchain, const SandboxLevel& sandbox,
                      const std::optional<Calibration>& calibration, int failed_checks) {
  const BuildInfo build = build_info();
  return {{"kbench", version_text(build)},
          {"device", oracle.facts},
          {"gpu", describe_gpu(gpu)},
          {"torch", oracle.torch},
          {"host", describe_host()},
          {"host_compiler", toolchain.host_version},
          {"nvcc", toolchain.nvcc_version},
          {"sandbox", sandbox.to_string()},
          {"sandbox_reason", sandbox.reason},
          {"calibration", describe_calibration(calibration, failed_checks)}};
}

}  // namespace kbench
