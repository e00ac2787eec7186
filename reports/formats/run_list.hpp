// The runs of a database, a line each: which, when, named how, of which task and submission, on
// what, of which commit, and how their rows ended. The other reports of several runs name runs as
// it does.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "reports/facts/run_facts.hpp"
#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class Store;

// A name that rows of a run have.
struct SharedName {
  std::string name;      // empty: no row has one
  bool several = false;  // rows differ; then the name is one of theirs

  void add(const std::string& first, const std::string& last);
  [[nodiscard]] bool single() const { return !name.empty() && !several; }
};

struct ListedRun {
  Run run;
  RunFacts facts;
  std::vector<std::string> tags;
  std::set<std::string> uuids;  // GPUs that judged its rows
  std::map<State, int> states;  // rows by how they ended
  int damaged = 0;              // rows in a state that no kbench knows
  SharedName task;
  SharedName agent;
  SharedName submission;  // SubmissionId::name: "v1.cpp" of a single file

  [[nodiscard]] int rows() const;
};

// Runs, newest first. Errors: those of the store.
[[nodiscard]] Result<std::vector<ListedRun>> list_runs(const Store& store);

// The names of the columns: run, tag, submission.
[[nodiscard]] std::vector<std::string> run_columns();
// `columns`: names of those to show, in this order; empty: as many of the usual ones as fit.
[[nodiscard]] std::string render_runs(const std::vector<ListedRun>& runs, const TableStyle& style,
                                      const std::vector<std::string>& columns = {});
// {schema_version, runs[]}: run_json, with uuids in its device, task, agent and submission (null
// where the run has several or none), shard, rows, states and damaged.
[[nodiscard]] Json runs_json(const std::vector<ListedRun>& runs);

// {id, tags, started_at, finished_at, device: {kind, name, threads}, commit, dirty, quick}; null
// where unknown.
[[nodiscard]] Json run_json(const Run& run, const std::vector<std::string>& tags);

}  // namespace kbench
