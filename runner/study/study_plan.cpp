#include "runner/study/study_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/attribution/cells.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/study/cell_lines.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {
namespace {

constexpr std::string_view kSchema = "kbench-study/1";
constexpr std::array<std::string_view, 7> kFurtherArms = {"NP+NF", "NP+F", "P+NF",  "P+F",
                                                          "P+RF",  "sham", "filler"};

Error no_plan(const std::string& what) {
  return {ErrorCode::kBadInput, "the plan of the study " + what,
          "`kbench attribute plan` writes one"};
}

// The number in a hash that orders things at random.
std::string lot(const std::string& text) { return sha256(text); }

Json component_json(const Component& component) {
  return {{"name", component.name}, {"version", component.version}, {"command", component.command}};
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Throws Json::exception where a member is missing or of another kind.
StudyPlan plan_from(const Json& json) {
  StudyPlan plan;
  plan.mode = json.at("mode").get<std::string>();
  plan.arms = json.at("arms").get<std::vector<std::string>>();
  for (const Json& one : json.at("components"))
    plan.components.push_back({one.at("name").get<std::string>(),
                               one.at("version").get<std::string>(),
                               one.at("command").get<std::string>()});
  plan.outcomes = json.at("outcomes").get<std::vector<std::string>>();
  plan.primary = json.at("primary").get<std::string>();
  plan.replicates = json.at("replicates").get<int>();
  plan.injection = json.at("injection").get<std::string>();
  plan.model = json.at("model").get<std::string>();
  if (json.contains("checks_only")) plan.checks_only = json.at("checks_only").get<bool>();
  if (json.contains("strong")) plan.strong = json.at("strong").get<std::string>();
  if (!json.at("temperature").is_null()) plan.temperature = json.at("temperature").get<double>();
  if (!json.at("max_tokens").is_null()) plan.max_tokens = json.at("max_tokens").get<int>();
  plan.window = json.at("window").get<std::int64_t>();
  plan.seed = json.at("seed").get<std::int64_t>();
  plan.device = json.at("device").get<std::string>();
  plan.size = json.at("size").get<std::string>();
  plan.quick = json.at("quick").get<bool>();
  for (const Json& one : json.at("states"))
    plan.states.push_back({one.at("node").get<std::string>(), one.at("task").get<std::string>(),
                           one.at("stratum").get<std::string>(),
                           one.at("available").get<std::vector<std::string>>()});
  return plan;
}

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Status check_transfer(const StudyPlan& plan) {
  for (const std::string_view arm : kTransferArms)
    if (holds(plan.arms, arm) == plan.strong.empty())
      return no_plan("has a strong model without all of its arms, or the other way round");
  if (plan.strong == plan.model) return no_plan("lends a model its own plans");
  return Done{};
}

// A plan is a file that may come from anybody.
Status check_plan(const StudyPlan& plan) {
  if (!is_factorial(plan.mode)) return no_plan(fmt::format("has no mode \"{}\"", plan.mode));
  for (const std::string& arm : plan.arms)
    if (!holds(kFurtherArms, arm) && !holds(kTransferArms, arm))
      return Error{ErrorCode::kBadInput, fmt::format("\"{}\" is no arm that a study can add", arm),
                   fmt::format("arms are {}", fmt::join(kFurtherArms, ", "))};
  if (std::set(plan.arms.begin(), plan.arms.end()).size() != plan.arms.size())
    return no_plan("names an arm twice");
  if (auto sound = check_transfer(plan); !sound) return sound;
  std::set<std::string> names;
  for (const Component& one : plan.components) {
    const auto known =
        find_component(one.command.empty() ? one.name : one.name + "=" + one.command);
    if (!known) return known.error();
    if (*known != one)
      return no_plan(fmt::format("has {} in a version that this kbench does not have", one.name));
    if (!names.insert(one.name).second) return no_plan("names a component twice");
  }
  if (names.empty() || names.size() > kMostComponents)
    return no_plan(fmt::format("has not 1 to {} components", kMostComponents));
  for (const std::string& outcome : plan.outcomes)
    if (auto known = find_outcome(outcome); !known) return known.error();
  if (plan.checks_only && has_timed_outcome(plan))
    return no_plan("has an outcome that takes a time, and times no kernel");
  if (std::find(plan.outcomes.begin(), plan.outcomes.end(), plan.primary) == plan.outcomes.end())
    return no_plan("has a primary outcome that is none of its outcomes");
  if (plan.replicates < 1 || plan.replicates > kMostReplicates)
    return no_plan(fmt::format("has not 1 to {} replicates", kMostReplicates));
  if (plan.states.empty() || plan.states.size() > kMostPlannedStates)
    return no_plan(fmt::format("has not 1 to {} states", kMostPlannedStates));
  if (plan.model.empty() || plan.window < 1 || plan.seed < 0) return no_plan("names no model");
  std::set<std::string> nodes;
  std::size_t cells = 0;
  const bool needs_other = std::find(plan.arms.begin(), plan.arms.end(), "P+RF") != plan.arms.end();
  for (const PlannedState& state : plan.states) {
    if (!nodes.insert(state.node).second) return no_plan("names a state twice");
    if (state.available.size() > kMostAnswering)
      return no_plan(fmt::format("has a state with more than {} components", kMostAnswering));
    if (!std::is_sorted(state.available.begin(), state.available.end()))
      return no_plan("has components of a state in another order than the alphabet's");
    for (const std::string& name : state.available)
      if (!names.contains(name)) return no_plan("has a component in a state that it does not name");
    if (needs_other && other_state(plan, state) == nullptr)
      return Error{
          ErrorCode::kBadInput,
          fmt::format("P+RF takes reports of another task's state that is {}, and there is "
                      "none",
                      state.stratum),
          "leave P+RF out, or freeze states of further tasks"};
    cells += ((std::size_t{1} << state.available.size()) + plan.arms.size()) *
             static_cast<std::size_t>(plan.replicates);
  }
  if (cells > kMostCells) return no_plan(fmt::format("has more than {} cells", kMostCells));
  return Done{};
}

}  // namespace

std::string study_plan_text(const StudyPlan& plan) {
  Json components = Json::array();
  for (const Component& one : plan.components) components.push_back(component_json(one));
  Json states = Json::array();
  for (const PlannedState& one : plan.states)
    states.push_back({{"node", one.node},
                      {"task", one.task},
                      {"stratum", one.stratum},
                      {"available", one.available}});
  Json json = {{"schema", kSchema},
               {"mode", plan.mode},
               {"arms", plan.arms},
               {"components", std::move(components)},
               {"outcomes", plan.outcomes},
               {"primary", plan.primary},
               {"replicates", plan.replicates},
               {"injection", plan.injection},
               {"model", plan.model},
               {"temperature", json_or_null(plan.temperature)},
               {"max_tokens", json_or_null(plan.max_tokens)},
               {"window", plan.window},
               {"seed", plan.seed},
               {"device", plan.device},
               {"size", plan.size},
               {"quick", plan.quick},
               {"states", std::move(states)}};
  // Left out where it is not so: plans of before say nothing of it, and time their kernels.
  if (plan.checks_only) json["checks_only"] = true;
  if (!plan.strong.empty()) json["strong"] = plan.strong;
  return json.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string study_id(std::string_view plan_text) { return sha256(plan_text); }

Result<StudyPlan> read_study_plan(std::string_view text) {
  if (text.size() > kMostPlanBytes) return no_plan("is too large");
  const auto json = parse_bounded_json(text);
  if (!json || !json->is_object()) return no_plan("is no object of JSON");
  if (json->value("schema", Json()) != kSchema) return no_plan("is of another version");
  StudyPlan plan;
  try {
    plan = plan_from(*json);
  } catch (const Json::exception&) {
    return no_plan("lacks a member, or has one of another kind");
  }
  if (auto sound = check_plan(plan); !sound) return sound.error();
  if (study_plan_text(plan) != text) return no_plan("was written by something else");
  return plan;
}

const PlannedState* other_state(const StudyPlan& plan, const PlannedState& state) {
  const PlannedState* chosen = nullptr;
  std::string least;
  for (const PlannedState& one : plan.states) {
    if (one.task == state.task || one.stratum != state.stratum) continue;
    const std::string number = lot(fmt::format("{}/{}", state.node, one.node));
    if (chosen != nullptr && number >= least) continue;
    chosen = &one;
    least = number;
  }
  return chosen;
}

std::string coalition_text(const std::vector<std::string>& coalition) {
  return fmt::format("{}", fmt::join(coalition, ","));
}

std::vector<CellPlace> cells_of(const StudyPlan& plan, const PlannedState& state, int replicate) {
  std::vector<CellPlace> cells;
  const std::size_t count = state.available.size();
  for (std::size_t mask = 0; mask < std::size_t{1} << count; ++mask) {
    CellPlace cell{plan.mode, {}, replicate};
    for (std::size_t i = 0; i < count; ++i)
      if ((mask >> i & 1u) != 0) cell.coalition.push_back(state.available[i]);
    cells.push_back(std::move(cell));
  }
  for (const std::string& arm : plan.arms) {
    const bool silent = arm == "NP+NF" || arm == "P+NF" || arm == "sham";
    cells.push_back({arm, silent ? std::vector<std::string>() : state.available, replicate});
  }
  std::vector<std::pair<std::string, CellPlace>> drawn;
  for (CellPlace& cell : cells)
    drawn.emplace_back(lot(fmt::format("{}/{}/{}/{}/{}", plan.seed, state.node, replicate, cell.arm,
                                       coalition_text(cell.coalition))),
                       std::move(cell));
  std::sort(drawn.begin(), drawn.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  cells.clear();
  for (auto& [number, cell] : drawn) cells.push_back(std::move(cell));
  return cells;
}

InjectionMode injection_mode(const StudyPlan& plan) {
  if (plan.mode == "plan") return InjectionMode::kPlan;
  return plan.mode == "both" ? InjectionMode::kBoth : InjectionMode::kDirect;
}

const std::string& planner_of(const StudyPlan& plan, const std::string& arm) {
  return arm == "transfer:plan" || arm == "transfer:strong" ? plan.strong : plan.model;
}

const std::string& coder_of(const StudyPlan& plan, const std::string& arm) {
  return arm == "transfer:strong" ? plan.strong : plan.model;
}

bool has_timed_outcome(const StudyPlan& plan) {
  return std::any_of(plan.outcomes.begin(), plan.outcomes.end(), [](const std::string& name) {
    const auto outcome = find_outcome(name);
    return outcome && takes_time(*outcome);
  });
}

bool times_anything(const StudyPlan& plan) {
  if (!plan.checks_only) return true;
  const auto tells_times = [&](const PlannedState& state) {
    return std::any_of(plan.components.begin(), plan.components.end(), [&](const Component& one) {
      return reads_times(one) && holds(state.available, one.name);
    });
  };
  return std::any_of(plan.states.begin(), plan.states.end(), tells_times);
}

int requests_of(const StudyPlan& plan, const std::string& arm) {
  const auto treatment = treatment_of(arm, injection_mode(plan));
  return treatment && treatment->planner ? 2 : 1;
}

ChosenStates choose_states(const std::vector<StoredNode>& nodes,
                           const std::vector<Component>& components, const StateChoice& choice,
                           std::int64_t seed) {
  ChosenStates chosen;
  std::map<std::string, std::size_t> left_out;
  std::vector<std::pair<std::string, const StoredNode*>> candidates;  // order: by lot
  std::set<std::string> states;
  const auto wanted = [](const auto& list, const auto& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
  };
  const auto is_known = [](const std::string& kind) {
    return kind == stratum::kNotBuilt || kind == stratum::kWrong || kind == stratum::kCorrect;
  };
  for (const StoredNode& one : nodes) {
    const std::string kind = stratum_of(one.node);
    if (leaks_of(one.node) > 0) {
      ++left_out["tell already what a report would"];
    } else if (!is_known(kind)) {
      ++left_out["are of no known stratum"];
    } else if (!wanted(choice.strata, kind) || !wanted(choice.generations, one.node.generation)) {
      ++left_out["are of another stratum or generation"];
    } else {
      if (chosen.device.empty()) chosen.device = choice.device.value_or(one.state.device);
      if (chosen.size.empty()) chosen.size = choice.size.value_or(one.state.size);
      if (one.state.device != chosen.device || one.state.size != chosen.size)
        ++left_out["are of another device or size"];
      else if (!states.insert(one.node.state).second)
        ++left_out["are of a state that is there already"];
      else
        candidates.emplace_back(lot(fmt::format("{}/{}", seed, one.id)), &one);
    }
  }
  for (const auto& [why, count] : left_out)
    chosen.left_out.push_back(fmt::format("{} node{} {}", count, count == 1 ? "" : "s", why));
  std::sort(candidates.begin(), candidates.end());
  // Takes next a state of the stratum of which there are fewest so far.
  std::map<std::string, std::size_t> of_stratum;
  std::map<std::pair<std::string, std::string>, std::size_t> of_task;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> of_generation;
  std::map<std::string, std::size_t> of_trajectory;
  while (!candidates.empty() && chosen.states.size() < choice.states) {
    const auto weight = [&](const StoredNode& one) {
      const std::string kind = stratum_of(one.node);
      return std::tuple(of_stratum[kind], of_task[{kind, one.state.task}],
                        of_generation[{kind, one.state.task, one.node.generation}],
                        of_trajectory[one.node.trajectory]);
    };
    const auto least =
        std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
          return std::tuple_cat(weight(*a.second), std::tuple(a.first)) <
                 std::tuple_cat(weight(*b.second), std::tuple(b.first));
        });
    const StoredNode& one = *least->second;
    const std::string kind = stratum_of(one.node);
    PlannedState state{one.id, one.state.task, kind, {}};
    for (const Component& component : components)
      if (answers_in(component, kind)) state.available.push_back(component.name);
    std::sort(state.available.begin(), state.available.end());
    chosen.states.push_back(std::move(state));
    ++of_stratum[kind];
    ++of_task[{kind, one.state.task}];
    ++of_generation[{kind, one.state.task, one.node.generation}];
    ++of_trajectory[one.node.trajectory];
    candidates.erase(least);
  }
  return chosen;
}

}  // namespace kbench
