// Makes the plan of a study from what a database holds: chooses the states, prices them by how the
// model counted so far, and takes as many as are paid for. Reads a store, asks no endpoint.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/store/store.hpp"
#include "runner/study/study_cost.hpp"
#include "runner/study/study_plan.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {

struct PlanRequest {
  StudyPlan plan;  // a plan without states, device, size and injection
  StateChoice choice;
  std::optional<std::string> run;  // run of the nodes, a name of store/run_name.hpp; else all
  std::optional<Price> price;
  std::optional<double> usd;  // the most that it may cost
};

// Parts of a plan by their words.
struct PlanParts {
  std::vector<std::string> components;  // names for find_component; none: error and profiler
  std::vector<std::string> arms;        // names of attribution/cells.hpp; "paper": five
};
// The request with these parts; the first of its outcomes is primary, and without any all are
// there. Kernels are timed where an outcome takes a time. Errors: those of find_component.
[[nodiscard]] Result<PlanRequest> with_parts(PlanRequest request, const PlanParts& parts);

// Components that answer in so many states.
struct AnsweringStates {
  std::vector<std::string> available;
  std::size_t states = 0;
};

struct MadePlan {
  StudyPlan plan;
  std::string text;
  Cost cost;
  TokenRates rates;
  double answer_seconds = 0;  // time of a request, by the same turns; 0: unknown
  std::size_t states_found = 0;
  int replicates_asked = 1;
  std::vector<AnsweringStates> census;
  std::vector<std::string> left_out;  // nodes, a sentence each

  // Whether it is smaller than was asked for, to cost no more.
  [[nodiscard]] bool is_reduced() const {
    return plan.states.size() < states_found || plan.replicates < replicates_asked;
  }
};

// Errors: kNotFound, no state that a study can take; kUsage, what is asked makes no plan, or costs
// more than `usd`; those of the store.
[[nodiscard]] Result<MadePlan> make_plan(const Store& store, const PlanRequest& request,
                                         const InjectionTemplate& with);

// How a model counted in its stored episodes, the newest first.
struct CountedTurns {
  TokenRates rates;
  double answer_seconds = 0;
};
[[nodiscard]] Result<CountedTurns> count_turns(const Store& store, const std::string& model);

}  // namespace kbench
