#include "reports/over_time/history.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/rank/score.hpp"
#include "runner/analysis/keep.hpp"
#include "runner/core/suggest.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// The rows of the task in one run.
struct RunRows {
  const Run* run = nullptr;
  RunFacts facts;
  std::vector<const Evaluation*> evaluations;
};

// How a run measured the task. It has at least one row of it.
auto way_of(const RunRows& rows) {
  const Evaluation& first = *rows.evaluations.front();
  return std::tie(first.size, first.precision, first.profile, first.protocol, rows.facts.quick);
}

// Uses of torch that were allowed to the task's Python submissions; empty without any.
std::string torch_policy(const RunRows& rows) {
  for (const Evaluation* evaluation : rows.evaluations)
    if (!evaluation->allow_torch.empty()) return evaluation->allow_torch;
  return "";
}

bool measured_alike(const RunRows& a, const RunRows& b) {
  const std::string then = torch_policy(a);
  const std::string now = torch_policy(b);
  const bool same_policy = then.empty() || now.empty() || then == now;
  return same_policy && way_of(a) == way_of(b);
}

// Rows by run, newest first; without runs that have no submission, or timed nothing.
std::vector<RunRows> rows_by_run(const HistoryData& data) {
  std::map<std::string, std::vector<const Evaluation*>> of_run;
  for (const Evaluation& evaluation : data.evaluations)
    if (evaluation.submission && evaluation.timed && evaluation.state != State::kSkipped)
      of_run[evaluation.run_id].push_back(&evaluation);
  std::vector<RunRows> runs;
  for (const Run& run : data.runs) {
    const auto found = of_run.find(run.id);
    if (found == of_run.end()) continue;
    RunRows rows{&run, facts_of(run), found->second};
    if (rows.facts.kind.empty()) rows.facts.kind = rows.evaluations.front()->device;
    runs.push_back(std::move(rows));
  }
  return runs;
}

// The run that the others have to be like: the newest with a full timing, else the newest. Null
// without any on the device.
const RunRows* choose_like(const std::vector<RunRows>& runs, const HistoryChoice& choice) {
  const RunRows* newest = nullptr;
  for (const RunRows& run : runs) {
    if (choice.device && !device_matches(run.facts, *choice.device)) continue;
    if (newest == nullptr) newest = &run;
    if (same_device(run.facts, newest->facts) && !run.facts.quick) return &run;
  }
  return newest;
}

Error no_such_agent(const std::string& agent, const std::vector<RunRows>& runs,
                    const std::string& task) {
  std::vector<std::string> names;
  for (const RunRows& run : runs)
    for (const Evaluation* evaluation : run.evaluations)
      names.push_back(evaluation->submission->agent);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto guess = nearest(agent, names);
  return {ErrorCode::kNotFound,
          fmt::format("no agent called \"{}\" submitted for {} in these runs", agent, task),
          guess ? fmt::format("did you mean \"{}\"?", *guess) : ""};
}

// Each agent's best row of one run becomes the next point of its series. False where there is none.
bool add_points(const RunRows& run, const HistoryData& data, const HistoryChoice& choice,
                std::map<std::string, AgentHistory>& agents) {
  bool added = false;
  std::vector<ResultRow> rows;
  for (const Evaluation* evaluation : run.evaluations) rows.push_back(derive(*evaluation));
  for (const std::string& agent : agents_of(rows)) {
    if (choice.agent && agent != *choice.agent) continue;
    const ResultRow* best = best_row(rows, agent, data.task, rows.front().size);
    if (best == nullptr) continue;
    HistoryPoint point{.run = *run.run, .tags = tags_of(run.run->id, data.tags), .row = *best};
    point.task_hash = run.evaluations[static_cast<std::size_t>(best - rows.data())]->task_hash;
    AgentHistory& history = agents[agent];
    history.agent = agent;
    point.task_changed =
        !history.points.empty() && history.points.back().task_hash != point.task_hash;
    history.points.push_back(std::move(point));
    added = true;
  }
  return added;
}

// Cautions about rows that are shown: as one run's report says them, once for all.
class ChainCautions {
 public:
  void look_at(const Run& run, const HistoryData& data) {
    const auto found = data.chains.find(run.id);
    if (found == data.chains.end()) return;
    const ChainFinding& chain = found->second;
    switch (chain.state) {
      case ChainFinding::State::kHolds: return;
      case ChainFinding::State::kUnchained: ++unchained_; return;
      case ChainFinding::State::kUnchecked: ++unchecked_; return;
      case ChainFinding::State::kChanged:
        changed_.push_back(fmt::format("rows of the run {} are not as they were stored: {}",
                                       short_id(run), chain.message));
    }
  }
  [[nodiscard]] std::vector<std::string> sentences() && {
    const auto of = [](int runs) {
      return fmt::format("rows of {} run{}", runs, runs == 1 ? "" : "s");
    };
    if (unchecked_ > 0)
      changed_.push_back(of(unchecked_) +
                         " cannot be checked here: they were signed with a key of another "
                         "machine");
    if (unchained_ > 0)
      changed_.push_back(of(unchained_) +
                         " are not chained: nobody can tell whether they were changed");
    return std::move(changed_);
  }

 private:
  std::vector<std::string> changed_;
  int unchecked_ = 0;
  int unchained_ = 0;
};

// Returns how many points cannot take part although they are timed.
int mark_changes(AgentHistory& history, Side baseline) {
  std::vector<Speedup> series;
  std::vector<std::size_t> at;  // the point of each
  int left_out = 0;
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const ResultRow& row = history.points[i].row;
    const auto& ratio = row.over(baseline);
    if (!row.counts_as_correct() || !ratio) continue;
    if (!row.no_verdict.empty()) {
      ++left_out;
      continue;
    }
    series.push_back(*ratio);
    at.push_back(i);
  }
  for (ChangePoint change : find_change_points(series)) {
    change.first = at[change.first];
    history.points[change.first].change = change;
  }
  return left_out;
}

}  // namespace

int AgentHistory::changes() const {
  return static_cast<int>(
      std::count_if(points.begin(), points.end(),
                    [](const HistoryPoint& point) { return point.change.has_value(); }));
}

Result<HistoryData> load_history(const Store& store, const std::string& task) {
  HistoryData data;
  data.task = task;
  Result<std::vector<Run>> runs = store.runs();
  if (!runs) return runs.error();
  Result<std::vector<Tag>> tags = store.tags();
  if (!tags) return tags.error();
  Result<StoredTask> stored = store.read_task(task);
  if (!stored) return stored.error();
  data.runs = std::move(*runs);
  data.tags = std::move(*tags);
  data.evaluations = std::move(stored->evaluations);
  data.chains = std::move(stored->chains);
  for (Evaluation& evaluation : data.evaluations) keep(evaluation);
  return data;
}

Result<History> make_history(const HistoryData& data, const HistoryChoice& choice) {
  const std::vector<RunRows> runs = rows_by_run(data);
  const RunRows* like = choose_like(runs, choice);
  if (like == nullptr) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("nothing was submitted for {}{}", data.task,
                             choice.device ? " on that device" : ""),
                 "`kbench runs` lists the runs and their devices."};
  }
  History history;
  history.task = data.task;
  history.device = like->facts;
  history.baseline = choice.baseline;
  bool quick = false;
  std::tie(history.size, history.precision, history.profile, history.protocol, quick) =
      way_of(*like);
  std::map<std::string, AgentHistory> agents;
  ChainCautions cautions;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!same_device(run->facts, like->facts)) {
      ++history.other_device;
    } else if (!measured_alike(*run, *like)) {
      ++history.left_out;
    } else if (add_points(*run, data, choice, agents)) {
      ++history.runs;
      cautions.look_at(*run->run, data);
    }
  }
  history.cautions = std::move(cautions).sentences();
  history.not_submitted =
      static_cast<int>(data.runs.size()) - history.runs - history.left_out - history.other_device;
  if (agents.empty()) return no_such_agent(choice.agent.value_or(""), runs, data.task);
  for (auto& [name, agent] : agents) {
    history.without_verdict += mark_changes(agent, choice.baseline);
    history.agents.push_back(std::move(agent));
  }
  return history;
}

}  // namespace kbench
