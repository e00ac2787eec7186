#include "runner/attribution/units.hpp"

#include <utility>

namespace kbench {
namespace {

const std::string& name_of(const StudiedState& state, UnitKind kind) {
  switch (kind) {
    case UnitKind::kTask: return state.task;
    case UnitKind::kTrajectory: return state.trajectory;
    case UnitKind::kState: return state.id;
  }
  return state.id;
}

}  // namespace

std::string_view to_string(UnitKind kind) {
  switch (kind) {
    case UnitKind::kTask: return "task";
    case UnitKind::kTrajectory: return "trajectory";
    case UnitKind::kState: return "state";
  }
  return "";
}

UnitEffects by_unit(const std::vector<StateEffect>& effects, UnitKind kind) {
  std::map<std::string, std::pair<double, double>> sums;  // of effects, of states
  for (const StateEffect& one : effects) {
    const std::string& name = name_of(*one.state, kind);
    if (name.empty()) return {};
    auto& [sum, count] = sums[name];
    sum += one.effect;
    ++count;
  }
  UnitEffects means;
  for (const auto& [name, sum] : sums) means.emplace(name, sum.first / sum.second);
  return means;
}

UnitKind widest_kind(const std::vector<StateEffect>& effects) {
  for (const UnitKind kind : {UnitKind::kTask, UnitKind::kTrajectory})
    if (by_unit(effects, kind).size() >= kLeastUnits) return kind;
  return UnitKind::kState;
}

std::vector<double> values_in(const UnitEffects& effects) {
  std::vector<double> values;
  for (const auto& [name, effect] : effects) values.push_back(effect);
  return values;
}

}  // namespace kbench
