#include "runner/judge/episode_tools.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/text_in.hpp"
#include "runner/judge/file_tools.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/tools.hpp"
#include "runner/trajectory/prompt_context.hpp"
#include "runner/workspace/tool_result.hpp"

namespace kbench {
namespace {

constexpr std::string_view kRecall = "recall";

Json recall_function() {
  return {
      {"type", "function"},
      {"function",
       {{"name", kRecall},
        {"description",
         "Returns a result of this conversation that was left out to save room, by the hash that "
         "stands in its place."},
        {"parameters",
         {{"type", "object"},
          {"properties",
           {{"hash", {{"type", "string"}, {"description", "64 hexadecimal digits."}}}}},
          {"required", Json::array({"hash"})},
          {"additionalProperties", false}}}}}};
}

CheckedCall wrong(CallError error, std::string why) { return {error, Json(), std::move(why)}; }

// A result on one line, cut to what a model reads.
std::string line_of(Json result) {
  std::string text = fit(std::move(result));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

EpisodeTools::Answer refused(const Error& error, CallError kind) {
  return {line_of(error_result(error)), kind, "", false};
}

// True for a tool that takes the device.
bool is_evaluation(const std::string& tool) {
  return tool == "verify" || tool == "profile" || tool == "debug" || tool == "submit";
}

bool takes_a_judge(const std::string& tool) {
  return tool == "compile" || tool == "analyze" || is_evaluation(tool);
}

}  // namespace

CheckedCall check_call(const std::string& tool, const std::string& arguments) {
  const bool recalls = tool == kRecall;
  const Tool* known = recalls ? nullptr : find_tool(tool);
  if (known == nullptr && !recalls)
    return wrong(CallError::kUnknownTool, fmt::format("there is no tool {}", clean_name(tool, 64)));
  // Some models send nothing at all where a tool needs nothing.
  const auto json = parse_bounded_json(arguments.empty() ? "{}" : arguments);
  if (!json) return wrong(CallError::kBadArguments, "the arguments are no JSON");
  if (recalls) {
    const bool right = json->is_object() && json->size() == 1 &&
                       json->value("hash", Json()).is_string() &&
                       is_text_hash(json->at("hash").get<std::string>());
    if (!right) return wrong(CallError::kBadArguments, "recall takes a hash of 64 digits, alone");
  } else if (auto fits = check_arguments(*known, *json); !fits) {
    return wrong(CallError::kBadArguments, fits.error().message);
  }
  return {CallError::kNone, *json, ""};
}

Json offered_tools() {
  Json list = Json::array();
  for (const Tool& tool : tools()) list.push_back(openai_function(tool));
  list.push_back(recall_function());
  return list;
}

EpisodeTools::EpisodeTools(Setting setting, EpisodeJudge& judge)
    : setting_(std::move(setting)), judge_(judge) {}

EpisodeTools::Answer EpisodeTools::use(const std::string& tool, const std::string& arguments,
                                       const std::string& variant) {
  const CheckedCall call = check_call(tool, arguments);
  if (call.error != CallError::kNone) return refused({ErrorCode::kUsage, call.why, ""}, call.error);
  if (tool == kRecall) {
    auto text = setting_.text(text_in(call.arguments, "hash"));
    if (text) return {std::move(*text), CallError::kNone, "", false};
    return refused({ErrorCode::kNotFound, "this conversation has no text of that hash", ""},
                   CallError::kRefused);
  }
  const bool elsewhere = call.arguments.contains("workspace") &&
                         text_in(call.arguments, "workspace") != setting_.handle;
  if (elsewhere)
    return refused({ErrorCode::kNotFound, "no workspace of yours has this handle",
                    fmt::format("yours is {}", setting_.handle)},
                   CallError::kRefused);
  if (takes_a_judge(tool)) return judge(tool, variant);
  auto result = use_files(tool, call.arguments);
  if (!result)
    return refused(result.error(), result.error().code == ErrorCode::kInfrastructure
                                       ? CallError::kInfrastructure
                                       : CallError::kRefused);
  return {line_of(std::move(*result)), CallError::kNone, "", false};
}

Result<Json> EpisodeTools::use_files(const std::string& tool, const Json& arguments) {
  if (auto used = use_file_tool(WorkspaceFiles(setting_.folder), tool, arguments))
    return std::move(*used);
  if (tool == "list_tasks")
    return Json{{"tasks", Json::array({Json{{"task", setting_.task.task}}})}};
  // An episode is one task's, and its workspace is open.
  if (text_in(arguments, "task") != setting_.task.task)
    return Error{ErrorCode::kUsage, fmt::format("this work is on {}", setting_.task.task),
                 fmt::format("its workspace is {}", setting_.handle)};
  return Json{{"workspace", setting_.handle},
              {"task", setting_.task.task},
              {"size", setting_.task.size},
              {"device", setting_.task.device},
              {"files", {"TASK.md", "SKILL.md", "reference.py", "task.h", "kbench.h"}},
              {"writable", "kernels/"}};
}

EpisodeTools::Answer EpisodeTools::judge(const std::string& tool, const std::string& variant) {
  if (is_evaluation(tool) && setting_.evaluations > 0 && used_ >= setting_.evaluations)
    return refused(
        {ErrorCode::kUsage,
         fmt::format("{} evaluations were granted, and they are used up", setting_.evaluations),
         ""},
        CallError::kOverBudget);
  const auto kernels = copy_kernels(setting_.folder);
  if (!kernels) return refused(kernels.error(), CallError::kRefused);
  const std::string_view component = component_of_tool(tool);
  KernelVerdict verdict = !component.empty()  ? judge_.report(component, setting_.task, *kernels)
                          : tool == "compile" ? judge_.compile(setting_.task, *kernels)
                          : tool == "verify"  ? judge_.verify(setting_.task, *kernels)
                          : tool == "profile" ? judge_.profile(setting_.task, *kernels)
                                              : judge_.submit(setting_.task, *kernels, variant);
  if (!verdict.interrupted && is_evaluation(tool)) ++used_;
  if (verdict.result.is_object()) verdict.result["tree"] = kernels->hash;
  return {line_of(std::move(verdict.result)), verdict.error, std::move(verdict.evaluation),
          verdict.interrupted};
}

KernelVerdict EpisodeTools::report(std::string_view component) {
  const auto kernels = copy_kernels(setting_.folder);
  if (!kernels) return {error_result(kernels.error()), "", CallError::kRefused, false};
  return judge_.report(component, setting_.task, *kernels);
}

void EpisodeTools::repeat(const ToolCall& call, const std::string& arguments) {
  if (is_evaluation(call.tool) &&
      (call.error == CallError::kNone || call.error == CallError::kInfrastructure))
    ++used_;
  if (call.error != CallError::kNone || (call.tool != "write" && call.tool != "edit")) return;
  const CheckedCall checked = check_call(call.tool, arguments);
  if (checked.error == CallError::kNone) (void)use_files(call.tool, checked.arguments);
}

std::string EpisodeTools::tree() const {
  const auto kernels = copy_kernels(setting_.folder);
  return kernels ? kernels->hash : "";
}

}  // namespace kbench
