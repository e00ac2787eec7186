// Runs whose speed-ups are known exactly: every sample of a side takes the same time, so that an
// interval is what the calibration says and nothing else. Used by unit tests, and by
// tests/cli/make_runs.cpp for the tests of the command line.
#pragma once

#include <cstdint>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"

namespace kbench::test {

// Deviation between runs in the calibration of every row below.
inline constexpr double kBetweenRuns = 0.02;

struct RunSpec {
  std::string id;
  std::string started_at = "2026-11-20T03:00:00Z";
  std::string device = "Example CPU";
  int threads = 2;
  bool quick = false;
  std::string torch = "2.11.0";
  std::string commit;             // empty: in no repository
  Json choices = Json::object();  // further ones of its configuration, such as "tasks"
};

inline Run stored_run(const RunSpec& spec) {
  Run run;
  run.id = spec.id;
  run.started_at = spec.started_at;
  run.finished_at = spec.started_at;
  run.command_line = "kbench run";
  Json configuration = {{"device", "cpu"}, {"quick", spec.quick}};
  configuration.update(spec.choices);
  run.configuration = configuration.dump();
  Json environment = {
      {"device", {{"kind", "cpu"}, {"name", spec.device}, {"threads", spec.threads}}},
      {"torch", spec.torch}};
  if (!spec.commit.empty()) environment["submissions"] = {{"commit", spec.commit}, {"dirty", true}};
  run.environment = environment.dump();
  return run;
}

inline void add_side(Evaluation& evaluation, Side side, std::int64_t time_ns) {
  constexpr int kPlacements = 8;
  for (int block = 0; block < kPlacements; ++block)
    for (int visit = 0; visit < 2; ++visit)
      evaluation.samples.push_back(
          {.placement = block, .block = block, .visit = visit, .side = side, .time_ns = time_ns});
}

inline Evaluation named_evaluation(const std::string& run_id, const std::string& task,
                                   const std::string& agent, const std::string& variant = "") {
  Evaluation evaluation;
  evaluation.run_id = run_id;
  evaluation.key = task + " " + agent + " " + variant;
  evaluation.task = task;
  evaluation.level = 1;
  evaluation.size = "small";
  evaluation.device = "cpu";
  evaluation.precision = "torch-default";
  evaluation.task_hash = "1111aaaa";
  evaluation.protocol = kProtocol;
  evaluation.calibration = Calibration{0.02, kBetweenRuns, "2026-11-19T10:00:00Z"};
  evaluation.submission = SubmissionId{.agent = agent,
                                       .name = agent + "/" + task + ".cpp",
                                       .variant = variant,
                                       .source_hash = "3333cccc"};
  return evaluation;
}

// Correct: eager takes 2 ms, compiled 1.5 ms.
inline Evaluation timed_evaluation(const std::string& run_id, const std::string& task,
                                   const std::string& agent, std::int64_t submission_ns,
                                   const std::string& variant = "") {
  Evaluation evaluation = named_evaluation(run_id, task, agent, variant);
  evaluation.state = State::kOk;
  evaluation.correct = true;
  add_side(evaluation, Side::kEager, 2'000'000);
  add_side(evaluation, Side::kCompiled, 1'500'000);
  add_side(evaluation, Side::kSubmission, submission_ns);
  return evaluation;
}

inline Evaluation failed_evaluation(const std::string& run_id, const std::string& task,
                                    const std::string& agent, State state = State::kWrongResult) {
  Evaluation evaluation = named_evaluation(run_id, task, agent);
  evaluation.state = state;
  if (state == State::kWrongResult) evaluation.correct = false;
  evaluation.message = "it went wrong";
  return evaluation;
}

}  // namespace kbench::test
