#include "runner/cli/run_choices.hpp"

#include <filesystem>
#include <optional>

#include "runner/cli/rerun_choice.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/git_state.hpp"

namespace kbench {

Json describe_configuration(const RunOptions& options, const Plan& plan, const DeviceFacts& device,
                            const std::string& torch) {
  const auto path = [](const std::optional<std::filesystem::path>& value) -> Json {
    return value ? Json(std::filesystem::absolute(*value).string()) : Json(nullptr);
  };
  Json choices = {{"device", plan.target.device},
                  {"device_name", device.name},
                  {"device_index", plan.target.device_index},
                  {"threads", device.threads},
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
                  {"torch", torch},
                  {"kbench", std::string(build_info().version)}};
  if (options.layout != RunOptions().layout) choices["layout"] = options.layout;
  if (plan.only_submitted) choices["only_submitted"] = true;
  if (options.file) choices["file"] = path(options.file);
  if (options.file && options.name) choices["name"] = *options.name;
  if (options.allow_torch != RunOptions().allow_torch) choices["allow_torch"] = options.allow_torch;
  if (options.checks_only) choices["checks_only"] = true;
  if (options.call_limit_seconds) choices["call_limit_seconds"] = *options.call_limit_seconds;
  if (!options.rerun.empty()) choices["rerun"] = rerun_json(options);
  if (options.shard) {
    choices["shard"] = {{"group", options.group},
                        {"index", options.shard->index},
                        {"of", options.shard->of},
                        {"selection", plan.selection}};
  }
  return choices;
}

std::optional<std::string> first_difference(const Json& before, const Json& now) {
  for (const auto& [name, value] : now.items())
    if (!before.contains(name) || before.at(name) != value) return name;
  // A choice that stands at its default may be left out.
  if (before.is_object())
    for (const auto& [name, value] : before.items())
      if (!now.contains(name)) return name;
  return std::nullopt;
}

Json describe_submissions(const Plan& plan) {
  const auto state = plan.submissions ? git_state(*plan.submissions) : std::nullopt;
  if (!state) return nullptr;
  return {{"commit", state->commit}, {"dirty", state->dirty ? Json(*state->dirty) : Json()}};
}

Json describe_files(const Plan& plan) {
  return plan.census ? census_json(*plan.census) : Json(nullptr);
}

}  // namespace kbench
