#include "runner/cli/run_environment.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "runner/backend/nvml.hpp"
#include "runner/cli/build_info.hpp"
#include "runner/cli/container.hpp"
#include "runner/core/usable_cores.hpp"

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

Json describe_gpu(const Plan& plan) {
  if (plan.target.device != "cuda") return nullptr;
  const auto nvml = Nvml::open();
  if (!nvml) return nullptr;
  Json gpu = Json::object();
  if (const auto driver = nvml->driver_version()) gpu["driver"] = *driver;
  if (const auto clock = nvml->max_sm_clock_khz(plan.target.device_index))
    gpu["max_sm_clock_khz"] = *clock;
  if (const auto limits = nvml->clock_limits(plan.target.device_index))
    gpu["clock_limits"] = *limits;
  return gpu;
}

}  // namespace

Json describe_environment(const Plan& plan, const OracleHello& oracle, const Toolchain& toolchain,
                          const SandboxLevel& sandbox) {
  const BuildInfo build = build_info();
  return {{"kbench", version_text(build)},   {"device", oracle.facts},
          {"gpu", describe_gpu(plan)},       {"torch", oracle.torch},
          {"host", describe_host()},         {"host_compiler", toolchain.host_version},
          {"nvcc", toolchain.nvcc_version},  {"sandbox", sandbox.to_string()},
          {"sandbox_reason", sandbox.reason}};
}

Json describe_configuration(const RunOptions& options, const Plan& plan,
                            const OracleHello& oracle) {
  const auto path = [](const std::optional<std::filesystem::path>& value) -> Json {
    return value ? Json(std::filesystem::absolute(*value).string()) : Json(nullptr);
  };
  return {{"device", plan.target.device},
          {"device_name", oracle.facts.name},
          {"device_index", plan.target.device_index},
          {"threads", oracle.facts.threads},
          {"size", plan.target.size},
          {"precision", options.precision},
          {"profile", options.profile},
          {"levels", options.levels},
          {"tasks", options.tasks},
          {"suite", path(options.common.suite)},
          {"submissions", path(options.submissions)},
          {"agent", options.agent ? Json(*options.agent) : Json(nullptr)},
          {"baselines_only", options.baselines_only},
          {"quick", options.quick},
          {"torch", oracle.torch},
          {"kbench", std::string(build_info().version)}};
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

int usable_threads() { return std::max(1, static_cast<int>(usable_cores().size())); }

}  // namespace kbench
