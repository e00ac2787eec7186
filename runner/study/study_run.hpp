// The run of a study: judges the states' own kernels, has the components speak of them, and tries
// every cell of the plan: a request to the endpoint, or two, and the judge. Each part of a cell is
// stored before what follows, so that one that is killed at any moment goes on with what is open:
// nothing is asked for or judged twice, but what was under way. Prints nothing, and knows no exit
// code.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/trust.hpp"
#include "runner/agent/endpoint.hpp"
#include "runner/core/result.hpp"
#include "runner/episode/agent_run.hpp"

namespace kbench {

// The address at which a model is asked.
struct AskedAt {
  Endpoint endpoint;
  std::string key;                    // empty: none is sent
  std::chrono::seconds timeout{600};  // patience for one answer
};

struct StudyRequest {
  std::string plan;  // text of study_plan.hpp
  bool resume = false;
  std::optional<std::filesystem::path> suite;  // folder with levelN/, else the installation's
  std::optional<std::string> device;           // "cuda:1", of the plan's kind; else the plan's
  int parallel = 4;                            // cells at once
  Endpoint endpoint;                           // this and the next two: as AskedAt has them
  std::string key;
  std::chrono::seconds timeout{600};
  std::optional<AskedAt> strong;  // place of the plan's strong model; none: the same
  Trust trust;
  std::filesystem::path database;
  std::string command_line;  // command line that the store keeps
};

struct StudyOutcome {
  std::string run_id;  // empty: it was stopped before any cell was begun
  std::string study;   // id
  std::size_t cells = 0;
  std::size_t complete = 0;
  std::size_t faults = 0;             // faults among the complete ones
  std::vector<std::string> dropped;   // states whose cells were not tried, a sentence each
  std::vector<std::string> sampling;  // findings of the probes of the endpoint, a sentence each
  bool was_stopped = false;           // cells are open because it was told to stop
};

// Runs until all cells are complete, or the study is to stop. Errors: kUsage, the study is there
// already and `resume` is not said, or the other way round; kBadInput, what no plan is; those of
// the baselines, of the store, of the machine; kInfrastructure, the endpoint does not answer at
// all.
[[nodiscard]] Result<StudyOutcome> run_study(const StudyRequest& request,
                                             AgentRunSurroundings& around);

// "12 of 12 cells, 0 without an outcome …; study … in run … of F".
[[nodiscard]] std::string words(const StudyOutcome& outcome, const std::filesystem::path& database);

}  // namespace kbench
