#include "runner/cli/run_environment.hpp"

#include <sys/utsname.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "runner/cli/build_info.hpp"
#include "runner/cli/container.hpp"
#include "runner/cli/git_state.hpp"
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

Json describe_gpu(const std::optional<GpuInfo>& gpu) {
  if (!gpu) return nullptr;
  Json described = {{"driver", gpu->driver}};
  if (gpu->max_sm_clock_khz) described["max_sm_clock_khz"] = *gpu->max_sm_clock_khz;
  if (gpu->clock_limits) described["clock_limits"] = *gpu->clock_limits;
  return described;
}

Json describe_calibration(const std::optional<Calibration>& calibration) {
  if (!calibration) return nullptr;
  return {{"between_sessions", calibration->between_sessions},
          {"between_runs", calibration->between_runs},
          {"measured_at", calibration->measured_at}};
}

// Null where they are in no git repository, and for the shipped examples.
Json describe_submissions(const Plan& plan) {
  const auto state = plan.submissions ? git_state(*plan.submissions) : std::nullopt;
  if (!state) return nullptr;
  return {{"commit", state->commit}, {"dirty", state->dirty ? Json(*state->dirty) : Json()}};
}

// Null for the shipped examples.
Json describe_files(const std::optional<Census>& census) {
  return census ? census_json(*census) : Json(nullptr);
}

}  // namespace

Json describe_environment(const Plan& plan, const OracleHello& oracle, const Toolchain& toolchain,
                          const SandboxLevel& sandbox,
                          const std::optional<Calibration>& calibration) {
  const BuildInfo build = build_info();
  return {{"kbench", version_text(build)},
          {"device", oracle.facts},
          {"gpu", describe_gpu(plan.target.gpu)},
          {"torch", oracle.torch},
          {"host", describe_host()},
          {"host_compiler", toolchain.host_version},
          {"nvcc", toolchain.nvcc_version},
          {"sandbox", sandbox.to_string()},
          {"sandbox_reason", sandbox.reason},
          {"calibration", describe_calibration(calibration)},
          {"submissions", describe_submissions(plan)},
          {"files", describe_files(plan.census)}};
}

Json describe_configuration(const RunOptions& options, const Plan& plan,
                            const OracleHello& oracle) {
  const auto path = [](const std::optional<std::filesystem::path>& value) -> Json {
    return value ? Json(std::filesystem::absolute(*value).string()) : Json(nullptr);
  };
  Json choices = {{"device", plan.target.device},
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
                  {"budget_seconds", options.budget_seconds},
                  {"torch", oracle.torch},
                  {"kbench", std::string(build_info().version)}};
  if (options.layout != RunOptions().layout) choices["layout"] = options.layout;
  if (options.file) choices["file"] = path(options.file);
  if (options.allow_torch != RunOptions().allow_torch) choices["allow_torch"] = options.allow_torch;
  if (options.checks_only) choices["checks_only"] = true;
  if (options.call_limit_seconds) choices["call_limit_seconds"] = *options.call_limit_seconds;
  if (options.shard) {
    choices["shard"] = {{"group", options.group},
                        {"index", options.shard->index},
                        {"of", options.shard->of},
                        {"selection", plan.selection}};
  }
  return choices;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace kbench
