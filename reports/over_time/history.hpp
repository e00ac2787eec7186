// One task over all runs of one device: what each agent's best variant reached, and which run
// brought a change. Pure but for load_history.
//
// A series has runs that measured alike only: those of the device, size, precision class, profile,
// protocol, timing (quick or full) and, for Python submissions, --allow-torch of the newest run
// with a full timing of the task, or of the newest at all where there is none. The others are
// counted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/facts/run_facts.hpp"
#include "runner/analysis/change_points.hpp"
#include "runner/store/rows/tag.hpp"

namespace kbench {

struct HistoryData {
  std::string task;
  std::vector<Run> runs;  // newest first
  std::vector<Tag> tags;
  std::vector<Evaluation> evaluations;         // rows of the task, in any run
  std::map<std::string, ChainFinding> chains;  // chains of these rows' runs, by run
};

[[nodiscard]] Result<HistoryData> load_history(const Store& store, const std::string& task);

struct HistoryPoint {
  Run run;
  std::vector<std::string> tags;
  ResultRow row;                      // row of the best variant, as in scores
  std::string task_hash;              // hash of the evaluated task file
  bool task_changed = false;          // the task file is another than at the point before
  std::optional<ChangePoint> change;  // this run brought it; `first` is this point's index
};

struct AgentHistory {
  std::string agent;
  std::vector<HistoryPoint> points;  // oldest first

  [[nodiscard]] int changes() const;
};

struct History {
  std::string task;
  RunFacts device;
  std::string size;
  std::string precision;
  std::string profile;
  int protocol = 1;
  Side baseline = Side::kEager;
  std::vector<AgentHistory> agents;   // sorted by name
  std::vector<std::string> cautions;  // about the rows themselves, whole sentences
  int runs = 0;                       // number of runs with a point
  int left_out = 0;                   // runs of the device that measured in another way
  int other_device = 0;               // runs of other devices, with the task
  int not_submitted = 0;              // all other stored runs: no (or not that agent's) submission
  int without_verdict = 0;            // points that cannot date a change: they have no verdict
};

struct HistoryChoice {
  std::optional<std::string> device;  // see device_matches; else the newest run's
  std::optional<std::string> agent;   // else all
  Side baseline = Side::kEager;
};

// Points that are correct, timed and may have a verdict are what change points are looked for in.
// Errors: kNotFound where nothing was submitted for the task on that device, or by that
// agent; with the nearest name where one was misspelt.
[[nodiscard]] Result<History> make_history(const HistoryData& data, const HistoryChoice& choice);

}  // namespace kbench
