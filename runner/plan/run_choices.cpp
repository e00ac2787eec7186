#include "runner/plan/run_choices.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "runner/core/run_choices.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/git_state.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// --- one field ---

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

Json to_json_value(const fs::path& path) { return fs::absolute(path).string(); }
template <class T>
Json to_json_value(const T& value) {
  if constexpr (IsOptional<T>::value)
    return value ? to_json_value(*value) : Json(nullptr);
  else
    return value;
}

// Empty where the configuration says nothing of it, or something of another form.
template <class T>
std::optional<T> stored(const Json& configuration, std::string_view name) {
  const auto found = configuration.find(name);
  if (found == configuration.end() || found->is_null()) return std::nullopt;
  try {
    if constexpr (IsOptional<T>::value)
      return stored<typename T::value_type>(configuration, name);
    else if constexpr (std::is_same_v<T, fs::path>)
      return fs::path(found->get<std::string>());
    else
      return found->get<T>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

template <auto kField>
bool is_default(const RunRequest& request) {
  return request.*kField == RunRequest().*kField;
}

// --- how choices are written and read ---

using Write = void (*)(std::string_view, const RunRequest&, const Plan&, Json&);
using Read = void (*)(std::string_view, const Json&, RunRequest&);

template <auto kField>
void write(std::string_view name, const RunRequest& request, const Plan&, Json& configuration) {
  configuration[name] = to_json_value(request.*kField);
}
// Later choices are left out at their default: runs from before there was one are the same then.
template <auto kField>
void write_unusual(std::string_view name, const RunRequest& request, const Plan& plan,
                   Json& configuration) {
  if (!is_default<kField>(request)) write<kField>(name, request, plan, configuration);
}
template <auto kField>
void read(std::string_view name, const Json& configuration, RunRequest& request) {
  using Value = std::remove_cvref_t<decltype(request.*kField)>;
  if (!is_default<kField>(request)) return;
  if (auto found = stored<Value>(configuration, name)) request.*kField = std::move(*found);
}

void write_device(std::string_view name, const RunRequest&, const Plan& plan, Json& configuration) {
  configuration[name] = plan.target.device;
  configuration["device_index"] = plan.target.device_index;
}
void read_device(std::string_view name, const Json& configuration, RunRequest& request) {
  if (request.device) return;
  request.device = stored<std::string>(configuration, name);
  if (request.device == "cuda")
    request.device = fmt::format("cuda:{}", stored<int>(configuration, "device_index").value_or(0));
}

void write_size(std::string_view name, const RunRequest&, const Plan& plan, Json& configuration) {
  configuration[name] = plan.target.size;
}

// A run that says nothing of it has all tasks, as every one had once.
void write_submitted(std::string_view name, const RunRequest&, const Plan& plan,
                     Json& configuration) {
  if (plan.only_submitted) configuration[name] = true;
}
void read_submitted(std::string_view name, const Json& configuration, RunRequest& request) {
  request.all_tasks = !stored<bool>(configuration, name).value_or(false);
}

// A file and a folder of submissions exclude each other.
void read_submissions(std::string_view name, const Json& configuration, RunRequest& request) {
  if (!request.file) read<&RunRequest::submissions>(name, configuration, request);
}
void write_file(std::string_view name, const RunRequest& request, const Plan& plan,
                Json& configuration) {
  write_unusual<&RunRequest::file>(name, request, plan, configuration);
  if (request.file && request.name) configuration["name"] = *request.name;
}
void read_file(std::string_view name, const Json& configuration, RunRequest& request) {
  if (!request.submissions && !stored<fs::path>(configuration, "submissions"))
    read<&RunRequest::file>(name, configuration, request);
  read<&RunRequest::name>("name", configuration, request);
}

// A database may be foreign: what no option lets through is not taken from it.
void read_budget(std::string_view name, const Json& configuration, RunRequest& request) {
  const auto seconds = stored<int>(configuration, name);
  if (seconds && (*seconds < kLeastBudgetSeconds || *seconds > kMostBudgetSeconds)) return;
  read<&RunRequest::budget_seconds>(name, configuration, request);
}

void read_call_limit(std::string_view name, const Json& configuration, RunRequest& request) {
  const auto seconds = stored<double>(configuration, name);
  const bool sound =
      seconds && *seconds >= kLeastCallLimitSeconds && *seconds <= kMostCallLimitSeconds;
  if (sound && !request.call_limit_seconds) request.call_limit_seconds = seconds;
}

void write_rerun(std::string_view name, const RunRequest& request, const Plan&,
                 Json& configuration) {
  if (!request.rerun.empty())
    configuration[name] = {{"run", request.rerun_of.value_or("")}, {"states", request.rerun}};
}
void write_shard(std::string_view name, const RunRequest& request, const Plan& plan,
                 Json& configuration) {
  if (!request.shard) return;
  configuration[name] = {{"group", request.group},
                         {"index", request.shard->index},
                         {"of", request.shard->of},
                         {"selection", plan.selection}};
}
void leave(std::string_view, const Json&, RunRequest&) {}

struct Field {
  std::string_view choice;
  Write write;
  Read read;
};
// The table has each choice once, in the order of kRunChoices.
using R = RunRequest;
constexpr std::array kFields = {
    Field{"file", write_file, read_file},
    Field{"tasks", write<&R::tasks>, read<&R::tasks>},
    Field{"size", write_size, read<&R::size>},
    Field{"device", write_device, read_device},
    Field{"precision", write<&R::precision>, read<&R::precision>},
    Field{"profile", write<&R::profile>, read<&R::profile>},
    Field{"allow_torch", write_unusual<&R::allow_torch>, read<&R::allow_torch>},
    Field{"suite", write<&R::suite>, read<&R::suite>},
    Field{"submissions", write<&R::submissions>, read_submissions},
    Field{"agent", write<&R::agent>, read<&R::agent>},
    Field{"budget_seconds", write<&R::budget_seconds>, read_budget},
    Field{"call_limit_seconds", write_unusual<&R::call_limit_seconds>, read_call_limit},
    Field{"quick", write<&R::quick>, read<&R::quick>},
    Field{"checks_only", write_unusual<&R::checks_only>, read<&R::checks_only>},
    Field{"seed", write_unusual<&R::seed>, read<&R::seed>},
    Field{"vendor", write_unusual<&R::vendor>, read<&R::vendor>},
    Field{"baselines_only", write<&R::baselines_only>, read<&R::baselines_only>},
    Field{"layout", write_unusual<&R::layout>, read<&R::layout>},
    Field{"levels", write<&R::levels>, read<&R::levels>},
    Field{"tags", write_unusual<&R::tags>, read<&R::tags>},
    Field{"only_submitted", write_submitted, read_submitted},
    Field{"rerun", write_rerun, leave},
    Field{"shard", write_shard, leave},
};
static_assert(std::equal(kFields.begin(), kFields.end(), kRunChoices.begin(), kRunChoices.end(),
                         [](const Field& field, const RunChoice& choice) {
                           return field.choice == choice.name;
                         }));

}  // namespace

Json describe_configuration(const RunRequest& request, const Plan& plan, const DeviceFacts& device,
                            const std::string& torch) {
  Json configuration = {{"device_name", device.name},
                        {"threads", device.threads},
                        {"torch", torch},
                        {"kbench", std::string(build_info().version)}};
  for (const Field& field : kFields) field.write(field.choice, request, plan, configuration);
  return configuration;
}

void take_choices(const Json& configuration, RunRequest& request) {
  if (!configuration.is_object()) return;
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (!request.given.contains(std::string(kRunChoices[i].option)))
      kFields[i].read(kFields[i].choice, configuration, request);
}

void take_rerun(const Json& configuration, RunRequest& request) {
  const auto choice = stored<Json>(configuration, "rerun");
  if (!choice || !choice->is_object()) return;
  const auto states = stored<std::vector<std::string>>(*choice, "states");
  const auto run = stored<std::string>(*choice, "run");
  if (!states || !run) return;
  request.rerun = *states;
  request.rerun_of = *run;
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
