#include "runner/import/import_json.hpp"

#include <string_view>

namespace kbench {
namespace {

using Fault = ImportError::Fault;

constexpr int kSchemaVersion = 1;

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kFile: return "file";
    case Fault::kLimit: return "limit";
    case Fault::kMachine: return "machine";
  }
  return "";
}

Json outcome_json(const ImportOutcome& outcome) {
  Json json = {{"source", outcome.where},
               {"task", outcome.task},
               {"state", to_string(outcome.state)},
               {"note", outcome.note.empty() ? Json() : Json(outcome.note)},
               {"error", nullptr}};
  if (const auto& error = outcome.error) {
    json["error"] = {{"line", error->line > 0 ? Json(error->line) : Json()},
                     {"what", error->what},
                     {"fault", to_string(error->fault)},
                     {"hint", error->hint}};
  }
  return json;
}

}  // namespace

Json import_json(const SuiteImport& request, const std::vector<ImportOutcome>& outcomes) {
  Json json = {{"schema_version", kSchemaVersion},
               {"suite", request.out.string()},
               {"mode", request.mode},
               {"results", Json::array()}};
  for (const ImportOutcome& outcome : outcomes) json["results"].push_back(outcome_json(outcome));
  return json;
}

}  // namespace kbench
