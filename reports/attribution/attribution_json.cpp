#include "reports/attribution/attribution_json.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

// The number with twelve digits: those behind them differ from compiler to compiler.
double exact(double value) { return std::stod(fmt::format("{:.12g}", value)); }

Json or_null(const std::optional<double>& value) { return value ? Json(exact(*value)) : Json(); }

Json interval_json(const std::optional<ConfidenceInterval>& interval) {
  return interval ? Json::array({exact(interval->low), exact(interval->high)}) : Json();
}

Json estimate_json(const Estimate& one) {
  return {{"mean", exact(one.mean)},
          {"deviation", exact(one.deviation)},
          {"units", one.units},
          {"events", one.events},
          {"basis", to_string(one.basis)},
          {"interval", interval_json(one.interval)},
          {"p", or_null(one.p)},
          {"bound", or_null(one.bound)}};
}

template <class List, class Convert>
Json list_json(const List& list, const Convert& convert) {
  Json json = Json::array();
  for (const auto& one : list) json.push_back(convert(one));
  return json;
}

Json effect_json(const Effect& one) {
  Json json = estimate_json(one.estimate);
  json["index"] = to_string(one.index);
  json["components"] = one.components;
  json["outcome"] = one.outcome;
  json["by"] = one.by.empty() ? Json() : Json(one.by);
  json["group"] = one.by.empty() ? Json() : Json(one.group);
  json["states"] = one.states;
  json["unit"] = to_string(one.unit);
  json["over_states"] = one.over_states ? estimate_json(*one.over_states) : Json();
  json["family"] = !one.tested ? Json() : Json(one.primary ? "holm" : "benjamini_hochberg");
  json["corrected_p"] = or_null(one.corrected_p);
  return json;
}

Json answer_json(const Attribution& found, const ComponentAnswer& answer) {
  const Effect& effect = found.effects[answer.effect];
  Json json = estimate_json(effect.estimate);
  json["component"] = effect.components.front();
  json["advice"] = to_string(answer.advice);
  json["unit"] = to_string(effect.unit);
  json["corrected_p"] = or_null(effect.corrected_p);
  json["tokens"] = or_null(answer.tokens);
  json["more_units"] = answer.more_units ? Json(*answer.more_units) : Json();
  json["would_see"] = answer.more_units ? Json(exact(answer.would_see)) : Json();
  return json;
}

Json difference_json(const GroupDifference& one) {
  return {{"component", one.component},
          {"by", one.by},
          {"group", one.group},
          {"less", one.less},
          {"paired", one.paired},
          {"units", one.units},
          {"mean", exact(one.difference.mean)},
          {"freedom", exact(one.difference.freedom)},
          {"interval", interval_json(one.difference.interval)},
          {"p", exact(one.difference.p)},
          {"corrected_p", or_null(one.corrected_p)}};
}

Json arm_json(const ArmDifference& one) {
  return {{"arm", one.arm},
          {"less", one.less},
          {"outcome", one.outcome},
          {"unit", to_string(one.unit)},
          {"states", one.states},
          {"difference", estimate_json(one.estimate)},
          {"corrected_p", or_null(one.corrected_p)}};
}

Json control_json(const Control& one) {
  return {{"control", one.name},
          {"what", one.what},
          {"difference", estimate_json(one.estimate)},
          {"corrected_p", or_null(one.corrected_p)},
          {"failed", one.failed}};
}

Json transfer_json(const Transfer& one) {
  return {{"outcome", one.outcome},
          {"unit", to_string(one.unit)},
          {"states", one.states},
          {"gain", estimate_json(one.gain)},
          {"gap", estimate_json(one.gap)},
          {"share", one.share ? Json(exact(one.share->ratio)) : Json()},
          {"share_interval", one.share ? interval_json(one.share->interval) : Json()}};
}

Json lines_json(const Attribution& found) {
  Json left_out = Json::array();
  for (const auto& [why, count] : found.left_out)
    left_out.push_back({{"why", why}, {"lines", count}});
  return {{"in_file", found.lines},
          {"used", found.used},
          {"of_other_arms", found.of_other_arms},
          {"left_out", std::move(left_out)},
          {"faults_by_coalition", found.faults_by_coalition}};
}

}  // namespace

Json attribution_json(const Attribution& found) {
  Json undecided = Json::object();
  for (const auto& [outcome, share] : found.undecided) undecided[outcome] = exact(share);
  return {{"schema_version", kAttributionSchemaVersion},
          {"primary", {{"outcome", found.outcome}, {"arm", found.arm}, {"by_plan", false}}},
          {"lines", lines_json(found)},
          {"states",
           {{"used", found.states},
            {"incomplete", found.incomplete_states},
            {"trajectories", found.trajectories == 0 ? Json() : Json(found.trajectories)},
            {"tasks", found.tasks == 0 ? Json() : Json(found.tasks)}}},
          {"census", list_json(found.census,
                               [](const AvailableCount& one) -> Json {
                                 return {{"available", one.available},
                                         {"states", one.states},
                                         {"sampled", one.sampled}};
                               })},
          {"undecided", std::move(undecided)},
          {"alarms", found.alarms},
          {"components",
           list_json(found.answers,
                     [&](const ComponentAnswer& one) { return answer_json(found, one); })},
          {"effects", list_json(found.effects, effect_json)},
          {"differences", list_json(found.differences, difference_json)},
          {"arms", list_json(found.arms, arm_json)},
          {"controls", list_json(found.controls, control_json)},
          {"transfers", list_json(found.transfers, transfer_json)}};
}

}  // namespace kbench
