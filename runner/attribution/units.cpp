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

std::size_t number_of(const StudiedState& state, UnitKind kind) {
  switch (kind) {
    case UnitKind::kTask: return state.task_number;
    case UnitKind::kTrajectory: return state.trajectory_number;
    case UnitKind::kState: return state.id_number;
  }
  return state.id_number;
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
  std::vector<std::pair<double, double>> sums;  // sums of effects, of states; by number of the unit
  for (const StateEffect& one : effects) {
    if (name_of(*one.state, kind).empty()) return {};
    const std::size_t number = number_of(*one.state, kind);
    if (number >= sums.size()) sums.resize(number + 1);
    auto& [sum, count] = sums[number];
    sum += one.effect;
    ++count;
  }
  UnitEffects means;
  for (std::size_t number = 0; number < sums.size(); ++number)
    if (const auto& [sum, count] = sums[number]; count > 0) means.push_back({number, sum / count});
  return means;
}

UnitKind widest_kind(const std::vector<StateEffect>& effects) {
  for (const UnitKind kind : {UnitKind::kTask, UnitKind::kTrajectory})
    if (by_unit(effects, kind).size() >= kLeastUnits) return kind;
  return UnitKind::kState;
}

std::vector<double> values_in(const UnitEffects& effects) {
  std::vector<double> values;
  for (const UnitEffect& one : effects) values.push_back(one.mean);
  return values;
}

}  // namespace kbench
