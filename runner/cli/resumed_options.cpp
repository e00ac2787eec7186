#include "runner/cli/resumed_options.hpp"

#include <fmt/format.h>

#include "runner/cli/rerun_choice.hpp"
#include "runner/core/json.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// What the configuration says of a field; empty where it says nothing, or something else than
// asked.
template <class T>
std::optional<T> stored(const Json& configuration, const char* name) {
  const auto found = configuration.find(name);
  if (found == configuration.end() || found->is_null()) return std::nullopt;
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// Takes what is stored where the value is what nobody asked for. `given`: whether the option was
// said, if only at its default.
template <class T>
void complete(T& value, const T& by_default, bool given, const Json& configuration,
              const char* name) {
  if (given || value != by_default) return;
  if (auto found = stored<T>(configuration, name)) value = std::move(*found);
}

void complete(std::optional<std::string>& value, const Json& configuration, const char* name) {
  if (!value) value = stored<std::string>(configuration, name);
}

void complete(std::optional<std::filesystem::path>& value, const Json& configuration,
              const char* name) {
  if (value) return;
  if (const auto found = stored<std::string>(configuration, name)) value = *found;
}

std::optional<std::string> stored_device(const Json& configuration) {
  const auto kind = stored<std::string>(configuration, "device");
  if (kind != "cuda") return kind;
  return fmt::format("cuda:{}", stored<int>(configuration, "device_index").value_or(0));
}

// A database of another origin may hold anything in its place.
std::optional<double> stored_call_limit(const Json& configuration) {
  const auto seconds = stored<double>(configuration, "call_limit_seconds");
  const bool sound =
      seconds && *seconds >= kLeastCallLimitSeconds && *seconds <= kMostCallLimitSeconds;
  return sound ? seconds : std::nullopt;
}

}  // namespace

Result<Run> find_resumed_run(const Store& store, const RunOptions& options) {
  auto run = find_run_named(store, *options.resume);
  if (run || run.error().code != ErrorCode::kNotFound) return run;
  return Error{ErrorCode::kNotFound,
               fmt::format("{}: {}", options.database.string(), run.error().message),
               fmt::format("{} Without --resume a new one is started.", run.error().hint)};
}

RunOptions with_options_of(RunOptions options, const Run& run) {
  const Json configuration = Json::parse(run.configuration, nullptr, /*allow_exceptions=*/false);
  if (!configuration.is_object()) return options;
  const RunOptions none;
  const auto given = [&](const char* option) { return options.given.contains(option); };
  complete(options.levels, none.levels, given("level"), configuration, "levels");
  complete(options.tasks, none.tasks, given("task"), configuration, "tasks");
  // A run that says nothing of it has all tasks, as every one had once.
  if (!given("all-tasks"))
    options.all_tasks = !stored<bool>(configuration, "only_submitted").value_or(false);
  complete(options.size, configuration, "size");
  if (!options.device) options.device = stored_device(configuration);
  complete(options.precision, none.precision, given("precision"), configuration, "precision");
  complete(options.profile, none.profile, given("profile"), configuration, "profile");
  complete(options.allow_torch, none.allow_torch, given("allow-torch"), configuration,
           "allow_torch");
  complete(options.common.suite, configuration, "suite");
  if (!options.file) complete(options.submissions, configuration, "submissions");
  if (!options.submissions) complete(options.file, configuration, "file");
  complete(options.name, configuration, "name");
  complete(options.layout, none.layout, given("layout"), configuration, "layout");
  complete(options.agent, configuration, "agent");
  complete(options.baselines_only, none.baselines_only, given("baselines-only"), configuration,
           "baselines_only");
  complete(options.quick, none.quick, given("quick"), configuration, "quick");
  complete(options.checks_only, none.checks_only, given("checks-only"), configuration,
           "checks_only");
  complete(options.budget_seconds, none.budget_seconds, given("budget"), configuration,
           "budget_seconds");
  if (!options.call_limit_seconds) options.call_limit_seconds = stored_call_limit(configuration);
  if (const auto shard = shard_of(run); shard && !options.shard) {
    options.shard = ShardChoice{shard->index, shard->of};
    options.group = shard->group;
  }
  return options;
}

Result<RunOptions> complete_resumed(const RunOptions& options) {
  if (!options.resume) return options;
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  auto run = find_resumed_run(*store, options);
  if (!run) return run.error();
  RunOptions completed = with_options_of(options, *run);
  const Json configuration = Json::parse(run->configuration, nullptr, /*allow_exceptions=*/false);
  if (configuration.contains("rerun")) take_stored_rerun(configuration.at("rerun"), completed);
  return completed;
}

}  // namespace kbench
