#include "runner/workspace/tool_result.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/submission/ptxas.hpp"

namespace kbench {
namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json outcome(State state, const std::string& message, const std::string& hint) {
  return {{"state", to_string(state)},
          {"fault", to_string(fault_of(state))},
          {"message", message},
          {"hint", hint}};
}

Json kernels_json(const std::vector<KernelResources>& kernels) {
  Json list = Json::array();
  for (const KernelResources& kernel : kernels)
    list.push_back({{"name", kernel.name},
                    {"registers", kernel.registers},
                    {"stack_bytes", kernel.stack_bytes},
                    {"spill_store_bytes", kernel.spill_store_bytes},
                    {"spill_load_bytes", kernel.spill_load_bytes},
                    {"shared_bytes", kernel.shared_bytes}});
  return list;
}

template <class Visit>
void each_part(Json& json, const Visit& visit) {
  visit(json);
  if (json.is_structured())
    for (Json& part : json) each_part(part, visit);
}

// The list that takes the most room; null where there is none.
Json* longest_list(Json& json) {
  Json* found = nullptr;
  std::size_t most = 0;
  each_part(json, [&](Json& part) {
    if (!part.is_array() || part.empty()) return;
    const std::size_t bytes = text_of(part).size();
    if (bytes <= most) return;
    most = bytes;
    found = &part;
  });
  return found;
}

// Both ends stay: a compiler's first error is in front, a program's last words are at the end.
std::string cut(const std::string& text, std::size_t keep) {
  if (text.size() <= keep) return text;
  const std::size_t half = keep / 2;
  return fmt::format("{}\n… {} bytes are left out …\n{}", text.substr(0, half),
                     text.size() - 2 * half, text.substr(text.size() - half));
}

}  // namespace

Json compile_result(const Result<CompiledSubmission>& compiled,
                    const std::optional<LoadFault>& fault, const std::string& device,
                    const std::string& architecture) {
  if (!compiled) {
    const Error& error = compiled.error();
    const bool theirs = error.code == ErrorCode::kSubmission || error.code == ErrorCode::kBadInput;
    return outcome(theirs ? State::kCompileError : State::kInfrastructureError, error.message,
                   error.hint);
  }
  Json result = fault ? outcome(fault->state, fault->error.message, fault->error.hint)
                      : outcome(State::kOk, "", "");
  AssemblerReport report{{}, compiled->warnings};
  if (device == "cuda") report = read_ptxas(compiled->warnings);
  result["warnings"] = report.rest;
  result["seconds"] = compiled->seconds;
  result["cached"] = compiled->from_cache;
  result["architecture"] = architecture.empty() ? Json() : Json(architecture);
  result["kernels"] = device == "cuda" ? kernels_json(report.kernels) : Json();
  return result;
}

Json verify_result(const Evaluation& evaluation) {
  Json result = outcome(evaluation.state, evaluation.message, evaluation.hint);
  result["correct"] = evaluation.correct ? Json(*evaluation.correct) : Json();
  Json checks = Json::array();
  for (const Check& check : evaluation.checks)
    checks.push_back({{"distribution", check.distribution},
                      {"passed", check.passed},
                      {"wrong_elements", check.wrong_elements},
                      {"max_error", finite(check.max_error)},
                      {"tolerance", finite(check.tolerance)},
                      {"message", check.message}});
  result["checks"] = std::move(checks);
  return result;
}

Json error_result(const Error& error) {
  return {{"error", {{"message", error.message}, {"hint", error.hint}}}};
}

std::string fit(Json result, std::size_t most_bytes) {
  constexpr std::size_t kShortText = 200;  // nothing is gained by cutting these
  std::string text = text_of(result);
  Json shorter = result;
  for (std::size_t keep = most_bytes; text.size() > most_bytes && keep > kShortText;
       keep = keep * 3 / 4) {
    shorter = result;
    each_part(shorter, [keep](Json& part) {
      if (part.is_string()) part = cut(part.get_ref<const std::string&>(), keep);
    });
    text = text_of(shorter);
  }
  while (text.size() > most_bytes) {
    Json* list = longest_list(shorter);
    if (list == nullptr) break;  // a result without lists has few fields
    list->erase(list->begin() + static_cast<Json::difference_type>(list->size() / 2), list->end());
    text = text_of(shorter);
  }
  return text;
}

}  // namespace kbench
