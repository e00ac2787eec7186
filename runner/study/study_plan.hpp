// The plan of a study: which states, under which coalitions of which components, how often, by
// which model. Its text is canonical JSON, and the SHA-256 of the text is the study's id: each
// change of it, outcomes and primary outcome included, makes another study. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/feedback/component.hpp"
#include "runner/trajectory/frozen_state.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {

inline constexpr std::size_t kMostPlanBytes = 16u << 20;
inline constexpr std::size_t kMostPlannedStates = 10'000;
inline constexpr int kMostReplicates = 1000;
// Components that answer in one state: all of their coalitions are tried.
inline constexpr std::size_t kMostAnswering = 5;

struct PlannedState {
  std::string node;                    // id
  std::string task;                    // this and the next two: of the node, for readers
  std::string stratum;                 // a stratum of trajectory/frozen_state.hpp
  std::vector<std::string> available;  // names of components, in alphabetical order

  friend bool operator==(const PlannedState&, const PlannedState&) = default;
};

struct StudyPlan {
  std::string mode = "direct";    // the factorial arm: "direct", "plan" or "both"
  std::vector<std::string> arms;  // further arms (attribution/cells.hpp), each once a state
  std::vector<Component> components;
  std::vector<std::string> outcomes;  // outcomes of cell_lines.hpp
  std::string primary;                // one of them
  int replicates = 1;
  std::string injection;  // id of the template
  std::string model;      // the endpoint's name of it
  std::string strong;     // the model whose plans are lent to it, in kTransferArms; empty: none
  std::optional<double> temperature;
  std::optional<int> max_tokens;
  std::int64_t window = 131'072;  // tokens, of the model
  std::int64_t seed = 0;          // seed of the first replicate; each has one more
  std::string device;             // "cpu" or "cuda"; this and the next: of all states
  std::string size;
  bool quick = false;  // kernels are timed in eight blocks only
  // Kernels of cells are checked and not timed. Another plan without it: rows that were timed and
  // rows that were not are of different studies.
  bool checks_only = false;
  std::vector<PlannedState> states;

  friend bool operator==(const StudyPlan&, const StudyPlan&) = default;
};

[[nodiscard]] std::string study_plan_text(const StudyPlan& plan);
[[nodiscard]] std::string study_id(std::string_view plan_text);
// Errors: kBadInput: what no plan is; an unknown outcome, arm or component.
[[nodiscard]] Result<StudyPlan> read_study_plan(std::string_view text);

// A cell before it is tried.
struct CellPlace {
  std::string arm;
  std::vector<std::string> coalition;  // sorted
  std::int64_t replicate = 0;
};
// Names joined by commas, as a cell is stored.
[[nodiscard]] std::string coalition_text(const std::vector<std::string>& coalition);

// All cells of a state in one replicate, in an order that is random and follows from plan, state
// and replicate alone: what drifts hits no coalition more than another.
[[nodiscard]] std::vector<CellPlace> cells_of(const StudyPlan& plan, const PlannedState& state,
                                              int replicate);

// A state of another task and the same stratum, whose reports are wrong here (P+RF); the same each
// time. Null where there is none.
[[nodiscard]] const PlannedState* other_state(const StudyPlan& plan, const PlannedState& state);

[[nodiscard]] InjectionMode injection_mode(const StudyPlan& plan);

// Arms of a plan with a strong model: the model's own plan, the strong one's, and the strong model
// alone. A coder gets the plan and no report.
inline constexpr std::array<std::string_view, 3> kTransferArms = {"transfer:own", "transfer:plan",
                                                                  "transfer:strong"};
// The models that are asked for the plan of a cell of that arm, and for its code.
[[nodiscard]] const std::string& planner_of(const StudyPlan& plan, const std::string& arm);
[[nodiscard]] const std::string& coder_of(const StudyPlan& plan, const std::string& arm);

// Whether an outcome of the plan takes a time.
[[nodiscard]] bool has_timed_outcome(const StudyPlan& plan);
// Whether anything is timed: kernels of cells, or those of states for a component that tells times.
[[nodiscard]] bool times_anything(const StudyPlan& plan);

// Requests to the endpoint that a cell of that arm takes: two with a planner.
[[nodiscard]] int requests_of(const StudyPlan& plan, const std::string& arm);

// The rule by which a study chooses its states.
struct StateChoice {
  std::size_t states = 80;          // the most states
  std::vector<std::string> strata;  // this and the next: empty for all
  std::vector<std::int64_t> generations;
  std::optional<std::string> device;  // this and the next: else those of the first node
  std::optional<std::string> size;
};
struct ChosenStates {
  std::string device;
  std::string size;
  std::vector<PlannedState> states;   // the most balanced first: any beginning of it is balanced
  std::vector<std::string> left_out;  // how many and why, a sentence each
};
// States balanced over strata, tasks and generations; `seed` decides between equals. A node whose
// context leaks, of no known stratum, or of a state that is there already is left out, and counted.
[[nodiscard]] ChosenStates choose_states(const std::vector<StoredNode>& nodes,
                                         const std::vector<Component>& components,
                                         const StateChoice& choice, std::int64_t seed);

}  // namespace kbench
