// The judge of an agent's episodes: each request is a run of its own (workspace_requests.hpp),
// which is kept nowhere, all on one device session; the row of a submission is then put into the
// run of the episodes. One device, so one request at a time, however many episodes there are: what
// compiles would disturb what measures.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reports/facts/trust.hpp"
#include "runner/judge/episode_tools.hpp"
#include "runner/judge/shared_store.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/run_sink.hpp"

namespace kbench {

struct AgentJudging {
  JudgingPlace place;
  RunSink& sink;  // is told how each run goes, by one thread at a time
  Trust trust;
  SharedStore& store;
  std::string run_id;  // run that gets the rows
  std::string agent;   // agent that they are submitted as
  bool quick = false;
  std::string allow_torch;  // RunRequest's member
  RewardRule reward;
  std::function<bool()> stop;  // asked often, from any thread
};

[[nodiscard]] std::unique_ptr<EpisodeJudge> make_agent_judge(AgentJudging judging);

}  // namespace kbench
