#include "runner/synthesis/trial_order.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kbench {
namespace {

struct TrialWords {
  TrialKind kind;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kTrials = {TrialWords{TrialKind::kTime, "time", "timing eager"},
                                TrialWords{TrialKind::kJudge, "judge", "trying mutations"},
                                TrialWords{TrialKind::kCompare, "compare", "comparing packages"}};

const TrialWords& words_for(TrialKind kind) {
  return *std::find_if(kTrials.begin(), kTrials.end(),
                       [&](const TrialWords& words) { return words.kind == kind; });
}

Error malformed_trial(const char* what) {
  return {ErrorCode::kBadInput, fmt::format("malformed {} of a trial", what), ""};
}

std::optional<TrialKind> kind_named(const std::string& name) {
  for (const TrialWords& words : kTrials)
    if (words.name == name) return words.kind;
  return std::nullopt;
}

std::optional<CandidateFault> fault_named(const std::string& name) {
  for (const CandidateFault fault : all_candidate_faults())
    if (to_string(fault) == name) return fault;
  return std::nullopt;
}

}  // namespace

std::string_view describe(TrialKind kind) { return words_for(kind).meaning; }

Json trial_order_json(const TrialOrder& order) {
  return {{"kind", words_for(order.kind).name},
          {"task", order.task},
          {"file", order.file.string()},
          {"size", order.size},
          {"seed", order.seed},
          {"package", order.package.string()}};
}

Result<TrialOrder> trial_order_from_json(const Json& json) {
  try {
    const auto kind = kind_named(json.at("kind").get<std::string>());
    if (!kind) return malformed_trial("order");
    return TrialOrder{.kind = *kind,
                      .task = json.at("task"),
                      .file = json.at("file").get<std::string>(),
                      .size = json.at("size"),
                      .seed = json.at("seed"),
                      .package = json.at("package").get<std::string>()};
  } catch (const Json::exception&) {
    return malformed_trial("order");
  }
}

Json trial_answer_json(const TrialAnswer& answer) {
  Json json = {{"eager_ms", answer.eager_ms}, {"finding", nullptr}};
  if (answer.finding)
    json["finding"] = {{"fault", to_string(answer.finding->fault)},
                       {"message", answer.finding->message}};
  return json;
}

Result<TrialAnswer> trial_answer_from_json(const Json& json) {
  try {
    TrialAnswer answer{.eager_ms = json.at("eager_ms"), .finding = std::nullopt};
    const Json& finding = json.at("finding");
    if (finding.is_null()) return answer;
    const auto fault = fault_named(finding.at("fault").get<std::string>());
    if (!fault) return malformed_trial("answer");
    answer.finding = TrialFinding{*fault, finding.at("message")};
    return answer;
  } catch (const Json::exception&) {
    return malformed_trial("answer");
  }
}

}  // namespace kbench
