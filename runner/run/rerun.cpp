#include "runner/run/rerun.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/evaluation.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

using Name = std::pair<std::string, std::string>;  // task, submission

bool is_asked_for(State state, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [state](const std::string& word) {
    return word == kFailedRows ? is_failure(state) : word == to_string(state);
  });
}

Result<std::set<Name>> asked_rows(const RunRequest& request, const RunTerms& terms) {
  const auto store = Store::open(terms.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto rows = store->evaluations(request.rerun_of.value_or("latest"));
  if (!rows) return rows.error();
  std::set<Name> names;
  for (const Evaluation& row : *rows)
    if (is_asked_for(row.state, request.rerun))
      names.emplace(row.task, row.submission ? row.submission->name : "");
  return names;
}

// The census told all of them to be evaluated, or to be for the other device.
void count_as_not_selected(const PlannedRow& unit, Census& census) {
  --(unit.ends_as == State::kSkipped ? census.other_device : census.evaluated);
  ++census.not_selected;
}

// Tasks without a row are no part of the run any more.
void drop_idle_tasks(Plan& plan) {
  std::map<std::size_t, std::size_t> places;
  std::vector<Task> tasks;
  for (PlannedRow& unit : plan.units) {
    const auto [place, is_new] = places.try_emplace(unit.task, tasks.size());
    if (is_new) tasks.push_back(std::move(plan.tasks[unit.task]));
    unit.task = place->second;
  }
  plan.tasks = std::move(tasks);
}

std::string told_states(const RunRequest& request) {
  return request.rerun == std::vector<std::string>{kFailedRows}
             ? "failed"
             : fmt::format("ended as {}", fmt::join(request.rerun, " or "));
}

}  // namespace

std::vector<std::string> rerun_words() {
  std::vector<std::string> words{kFailedRows};
  constexpr int kLast = static_cast<int>(State::kInfrastructureError);
  for (int state = 0; state <= kLast; ++state)
    words.emplace_back(to_string(static_cast<State>(state)));
  return words;
}

Result<RunRequest> complete_rerun(const RunRequest& request, const RunTerms& terms) {
  if (terms.resume) return request;
  if (request.rerun.empty()) {
    if (!request.rerun_of) return request;
    return Error{ErrorCode::kUsage, "--run names the run of --last-failed or --rerun",
                 "give one of the two as well; --resume RUN continues a run"};
  }
  const auto store = Store::open(terms.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto run = find_run_named(*store, request.rerun_of.value_or("latest"));
  if (!run) return run.error();
  RunRequest completed = with_choices_of(request, *run);
  completed.rerun_of = run->id;
  return completed;
}

Status keep_rerun(const RunRequest& request, const RunTerms& terms, Plan& plan) {
  if (request.rerun.empty()) return Done{};
  const auto asked = asked_rows(request, terms);
  if (!asked) return asked.error();
  const std::size_t all = plan.units.size();
  std::erase_if(plan.units, [&](const PlannedRow& unit) {
    if (asked->contains({plan.tasks[unit.task].id, unit.id.name})) return false;
    if (plan.census && !unit.id.name.empty()) count_as_not_selected(unit, *plan.census);
    return true;
  });
  const std::string run(short_id(*request.rerun_of));
  if (plan.units.empty()) {
    plan.nothing_selected = Error{
        ErrorCode::kNotFound,
        fmt::format("nothing that these options select {} in run {}", told_states(request), run),
        fmt::format("`kbench explain {}` says how its rows ended; --run takes another run, "
                    "`kbench runs` lists them",
                    run)};
    return Done{};
  }
  drop_idle_tasks(plan);
  plan.notes.push_back(fmt::format("{} of {} rows {} in run {}; the others are left out",
                                   plan.units.size(), all, told_states(request), run));
  return Done{};
}

}  // namespace kbench
