// A run of a model's episodes: measures the baselines of the tasks, plans the episodes, works on
// several at once, each with an agent of its own, and finishes the run that all rows belong to. One
// that was cut off goes on with what is open. Prints nothing, and knows no exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "reports/facts/trust.hpp"
#include "runner/agent/endpoint.hpp"
#include "runner/core/result.hpp"
#include "runner/episode/agent_session.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/run_sink.hpp"

namespace kbench {

struct AgentRunRequest {
  RunRequest run;                     // tasks, device and choices of new episodes
  std::optional<std::string> resume;  // a run's name, of store/run_name.hpp: its choices are kept
  std::string model;
  int episodes = 1;  // episodes of each task
  int parallel = 4;
  EpisodeBudget budget;
  EpisodeSampling sampling;
  std::int64_t seed = 0;  // seed of the first episode; each has one more
  Endpoint endpoint;
  std::string key;                    // empty: none is sent
  std::chrono::seconds timeout{600};  // patience for one answer
  RewardRule reward;                  // reward that the model is shown
  Trust trust;
  std::filesystem::path database;
  std::string command_line;  // command line that the store keeps
};

// All that it needs of the world; it outlives the run.
struct AgentRunSurroundings {
  DeviceSession& device;
  BenchSource& benches;
  RunSink& sink;   // is told how the baselines go
  RunSink& quiet;  // is told how each judgement goes, by one thread at a time
  std::function<Result<AgentProcess>()> start_agent;
  // Waits so long for Ctrl-C, and says whether it came. Asked by one thread.
  std::function<bool(std::chrono::milliseconds)> asked_to_stop;
  std::function<void()> abandon;                      // the second time it came
  std::function<void(const std::string& text)> note;  // any thread calls it
};

// A model's name as the name of an agent: "Qwen/Qwen3-8B" is "Qwen-Qwen3-8B".
[[nodiscard]] std::string agent_name(const std::string& model);

struct AgentRunOutcome {
  std::string run_id;  // empty: it was stopped before any episode was begun
};

// Runs until all episodes have ended or are to stop. Errors: kNotFound, no such task or run, or
// every episode has ended; those of connect_to(), before anything is measured; those of the
// baselines, of the store, and of the machine. Episodes that did not end go on with `resume`.
[[nodiscard]] Result<AgentRunOutcome> run_agent(const AgentRunRequest& request,
                                                AgentRunSurroundings& around);

}  // namespace kbench
