#include "runner/run/lane_order.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "runner/core/evaluation_json.hpp"
#include "runner/plan/run_choices.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

Error malformed_order(const char* what) {
  return {ErrorCode::kBadInput, fmt::format("malformed {} of a lane", what), ""};
}

template <class T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* member) {
  const Json& value = json.at(member);
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

Json gpu_json(const GpuInfo& gpu) {
  return {{"name", gpu.name},
          {"compute_capability", gpu.compute_capability},
          {"memory_bytes", gpu.memory_bytes},
          {"driver", gpu.driver},
          {"nvml_index", nullable(gpu.nvml_index)},
          {"uuid", gpu.uuid},
          {"near_cores", gpu.near_cores},
          {"sharing", gpu.sharing},
          {"place", gpu.place},
          {"max_sm_clock_khz", nullable(gpu.max_sm_clock_khz)},
          {"clock_limits", nullable(gpu.clock_limits)}};
}

GpuInfo gpu_from(const Json& json) {
  return {.name = json.at("name"),
          .compute_capability = json.at("compute_capability"),
          .memory_bytes = json.at("memory_bytes"),
          .driver = json.at("driver"),
          .nvml_index = optional_at<int>(json, "nvml_index"),
          .uuid = json.at("uuid"),
          .near_cores = json.at("near_cores"),
          .sharing = json.at("sharing"),
          .place = json.at("place"),
          .max_sm_clock_khz = optional_at<std::int64_t>(json, "max_sm_clock_khz"),
          .clock_limits = optional_at<std::vector<std::string>>(json, "clock_limits")};
}

Json built_json(const PythonBuild& built) {
  Json extensions = Json::array();
  for (const BuiltExtension& one : built.extensions)
    extensions.push_back(
        {{"key", one.key}, {"name", one.name}, {"path", one.path}, {"failure", one.failure}});
  Json libraries = Json::array();
  for (const BuiltLibrary& one : built.libraries)
    libraries.push_back({{"file", one.file.string()}, {"sha256", one.sha256}});
  return {{"compilers", built.compilers},
          {"extensions", extensions},
          {"modules", built.modules},
          {"triton", built.triton},
          {"torch_compiled", built.torch_compiled},
          {"libraries", libraries},
          {"note", built.note}};
}

PythonBuild built_from(const Json& json) {
  PythonBuild built;
  built.compilers = json.at("compilers");
  for (const Json& one : json.at("extensions"))
    built.extensions.push_back({one.at("key"), one.at("name"), one.at("path"), one.at("failure")});
  built.modules = json.at("modules").get<std::map<std::string, std::string>>();
  built.triton = json.at("triton");
  built.torch_compiled = json.at("torch_compiled");
  for (const Json& one : json.at("libraries"))
    built.libraries.push_back({one.at("file").get<std::string>(), one.at("sha256")});
  built.note = json.at("note");
  return built;
}

Json model_json(const PythonModel& model) {
  return {{"entry", model.entry},
          {"init", model.init},
          {"mode", model.mode},
          {"state", model.state},
          {"kernelbench", model.kernelbench},
          {"seed", nullable(model.seed)},
          {"built", model.built ? built_json(*model.built) : Json(nullptr)}};
}

PythonModel model_from(const Json& json) {
  PythonModel model{.entry = json.at("entry"),
                    .init = json.at("init"),
                    .mode = json.at("mode"),
                    .state = json.at("state"),
                    .kernelbench = json.at("kernelbench"),
                    .seed = optional_at<int>(json, "seed")};
  if (!json.at("built").is_null()) model.built = built_from(json.at("built"));
  return model;
}

Json build_json(const SubmissionBuild& build) {
  Json json = {{"library", build.library.string()},
               {"python", build.python ? model_json(*build.python) : Json(nullptr)},
               {"reference", nullptr},
               {"draws_alike", build.draws_alike},
               {"labels", build.labels}};
  if (build.reference)
    json["reference"] = {{"folder", build.reference->folder.string()},
                         {"entry", build.reference->entry}};
  return json;
}

SubmissionBuild build_from(const Json& json) {
  SubmissionBuild build;
  build.library = json.at("library").get<std::string>();
  if (!json.at("python").is_null()) build.python = model_from(json.at("python"));
  if (const Json& reference = json.at("reference"); !reference.is_null()) {
    build.reference.emplace();
    build.reference->folder = reference.at("folder").get<std::string>();
    build.reference->entry = reference.at("entry");
  }
  build.draws_alike = json.at("draws_alike");
  build.labels = json.at("labels");
  return build;
}

}  // namespace

// --- the order ---

Json lane_order_json(const LaneOrder& order) {
  return {{"choices", describe_configuration(order.request, Plan(), DeviceFacts(), "")},
          {"repeat_busy", order.request.repeat_busy},
          {"size", order.size},
          {"gpu", order.gpu ? gpu_json(*order.gpu) : Json(nullptr)},
          {"cores", order.cores},
          {"what", order.what},
          {"seconds", order.seconds},
          {"waits", order.waits},
          {"python", nullable(order.python)},
          {"first_agent", order.first_agent}};
}

Result<LaneOrder> lane_order_from_json(const Json& json) {
  try {
    LaneOrder order;
    take_choices(json.at("choices"), order.request);
    order.request.repeat_busy = json.at("repeat_busy");
    order.size = json.at("size");
    if (!json.at("gpu").is_null()) order.gpu = gpu_from(json.at("gpu"));
    order.cores = json.at("cores").get<std::vector<int>>();
    order.what = json.at("what");
    order.seconds = json.at("seconds");
    order.waits = json.at("waits");
    order.python = optional_at<int>(json, "python");
    order.first_agent = json.at("first_agent");
    return order;
  } catch (const Json::exception&) {
    return malformed_order("order");
  }
}

// --- its facts ---

Json lane_facts_json(const LaneFacts& facts) {
  return {{"device", facts.hello.facts},
          {"torch", facts.hello.torch},
          {"precision", facts.hello.precision},
          {"sandbox", facts.sandbox}};
}

Result<LaneFacts> lane_facts_from_json(const Json& json) {
  try {
    return LaneFacts{{json.at("device").get<DeviceFacts>(), json.at("torch"), json.at("precision")},
                     json.at("sandbox")};
  } catch (const std::exception&) {  // conversions throw as well
    return malformed_order("facts");
  }
}

// --- a unit ---

Json unit_json(const UnitParts& unit) {
  return {{"task", unit.task->file.string()},
          {"task_hash", unit.task->hash},
          {"submission", unit.submission ? submission_id_json(*unit.submission) : Json(nullptr)},
          {"is_python", unit.is_python},
          {"package",
           {{"key", unit.package.key},
            {"file", unit.package.file.string()},
            {"reason", unit.package.reason}}},
          {"build", build_json(unit.finished_build())},
          {"unranked", unit.unranked}};
}

Result<std::unique_ptr<ToldUnit>> unit_from_json(const Json& json, const std::string& precision) {
  try {
    const std::filesystem::path file = json.at("task").get<std::string>();
    auto task = load_task_in(working_type(precision), file);
    if (!task) return task.error();
    if (task->hash != json.at("task_hash").get<std::string>())
      return Error{ErrorCode::kBadInput,
                   fmt::format("{} was changed while the run went on", file.string()),
                   "Run it again once nobody writes to it."};
    auto unit = std::make_unique<ToldUnit>();
    unit->task = std::move(*task);
    unit->build = build_from(json.at("build"));
    UnitParts& parts = unit->parts;
    parts.task = &unit->task;
    if (!json.at("submission").is_null()) {
      auto id = submission_id_from_json(json.at("submission"));
      if (!id) return id.error();
      parts.submission = std::move(*id);
    }
    parts.is_python = json.at("is_python");
    const Json& package = json.at("package");
    parts.package = {.key = package.at("key"),
                     .file = package.at("file").get<std::string>(),
                     .reason = package.at("reason")};
    parts.build = &unit->build;
    parts.finished_build = [&build = unit->build]() -> const SubmissionBuild& { return build; };
    parts.unranked = json.at("unranked");
    return unit;
  } catch (const Json::exception&) {
    return malformed_order("unit");
  }
}

}  // namespace kbench
