#include "runner/task/task_json.hpp"

#include <cstddef>
#include <utility>

#include "runner/task/draw_words.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/task_tags.hpp"

namespace kbench {
namespace {

constexpr int kSchemaVersion = 1;

Json tensors_json(const std::vector<TensorSpec>& tensors, bool drawn) {
  auto list = Json::array();
  for (const auto& tensor : tensors) {
    Json item = {{"name", tensor.name},
                 {"dtype", to_string(tensor.dtype)},
                 {"shape", tensor.shape},
                 {"bytes", tensor.bytes()}};
    if (drawn) item["values"] = draw_words(tensor.draw);
    list.push_back(std::move(item));
  }
  return list;
}

Json hard_draws_json(const std::vector<HardDrawRule>& rules) {
  auto list = Json::array();
  for (const auto& rule : rules) {
    list.push_back({{"draw", to_string(rule.draw)},
                    {"inputs", describe(rule.draw)},
                    {"applies", rule.applies()},
                    {"reason", rule.applies() ? Json() : Json(rule.reason)}});
  }
  return list;
}

Json size_json(const TaskSize& size) {
  return {{"size", size.name},
          {"inputs", tensors_json(size.inputs, true)},
          {"parameters", tensors_json(size.parameters, true)},
          {"outputs", tensors_json(size.outputs, false)},
          {"peak_bytes_fp32", size.peak_bytes_fp32},
          {"peak_bytes_fp64", size.peak_bytes_fp64},
          {"flops", size.work.products},
          {"work",
           {{"read_bytes", size.work.read_bytes},
            {"written_bytes", size.work.written_bytes},
            {"unfused_bytes", size.work.unfused_bytes},
            {"least_products", size.work.least_products},
            {"least_tf32_products", size.work.least_tf32_products},
            {"transcendental", size.work.transcendental},
            {"uncounted", size.work.is_counted() ? Json() : Json(size.work.uncounted)}}},
          {"hard_draws", hard_draws_json(size.hard_draws)}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json task_json(const Task& task, const std::vector<const TaskSize*>& sizes) {
  Json json = {{"schema_version", kSchemaVersion},
               {"task", task.id},
               {"level", task.level},
               {"number", task.number},
               {"name", task.name},
               {"title", task.title},
               {"mode", task.mode},
               {"note", text_or_null(task.note)},
               {"ranked", why_unranked(task.lint_accepts).empty()},
               {"unranked_reason", text_or_null(why_unranked(task.lint_accepts))},
               {"entry", task.entry},
               {"source", task.source.string()},
               {"file", task.file.string()},
               {"hash", task.hash},
               {"sizes", Json::array()}};
  for (const auto* size : sizes) json["sizes"].push_back(size_json(*size));
  return json;
}

Json task_list_json(const std::vector<TaskEntry>& entries,
                    const std::vector<std::vector<std::string>>& sizes) {
  Json json = {{"schema_version", kSchemaVersion}, {"tasks", Json::array()}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TaskEntry& entry = entries[i];
    json["tasks"].push_back({{"task", entry.id},
                             {"level", entry.level},
                             {"number", entry.number},
                             {"name", entry.name},
                             {"title", entry.title},
                             {"sizes", sizes.at(i)},
                             {"tags", tags_of(entry)},
                             {"ranked", entry.unranked.empty()},
                             {"unranked_reason", text_or_null(entry.unranked)},
                             {"problem", text_or_null(entry.problem)}});
  }
  return json;
}

}  // namespace kbench
