// One episode: the trusted side of kbench-agent. It stores what that hands over, answers its calls
// by the tools, keeps the budget and the clock, and ends the episode. One that was cut off goes on
// where it was: nothing is said or judged twice. Each has a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/agent/agent_process.hpp"
#include "runner/agent/agent_protocol.hpp"
#include "runner/agent/endpoint.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/judge/episode_tools.hpp"
#include "runner/judge/shared_store.hpp"
#include "runner/os/files.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/trajectory/injection.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {

// The limits of an episode, as its row has them; 0: no limit.
struct EpisodeBudget {
  int turns = 150;
  std::int64_t tokens = 0;
  int evaluations = 50;
  int seconds = 0;
  std::int64_t window = 131'072;  // tokens, of the model
};
[[nodiscard]] Json to_json(const EpisodeBudget& budget);
[[nodiscard]] EpisodeBudget budget_from_json(const std::string& text);

// How a model is asked, as the episode's row has it.
struct EpisodeSampling {
  AgentStyle style = AgentStyle::kReact;
  std::optional<double> temperature;
  std::optional<int> max_tokens;  // limit of a reply
  // Style refine: names of built-in components whose reports stand in place of the judge's words;
  // nothing: the judge's words do. With a planner, which gets the reports too and whose plan
  // follows on them.
  std::optional<std::vector<std::string>> feedback;
  bool plan = false;
};
[[nodiscard]] Json to_json(const EpisodeSampling& sampling);
[[nodiscard]] EpisodeSampling sampling_from_json(const std::string& text);

// The surroundings that all episodes of a run share.
struct AgentSurroundings {
  SharedStore& store;
  EpisodeJudge& judge;
  std::string precision = "torch-default";            // class of the run
  std::function<Result<AgentProcess>()> start_agent;  // sandboxed, for one conversation
  Endpoint endpoint;
  std::string key;
  std::chrono::seconds timeout{600};  // patience for one answer
  std::function<bool()> stop;         // true: all episodes are to stop
  std::function<void(const std::string& text)> note;
  // The template of feedback that was chosen; an episode with such feedback has it.
  std::optional<InjectionTemplate> injection = {};
};

class EpisodeSession {
 public:
  // `episode`: as far as it is stored. `task_md` is what it begins with; `texts` the workspace's.
  EpisodeSession(AgentSurroundings& around, Episode episode, const WorkspaceTexts& texts);

  // Runs the episode to its end, or until all episodes are to stop: then it has no end. Errors:
  // those of the store and of the machine, because of which the episode did not end either.
  Status run();

 private:
  enum class Next { kGoOn, kOver };

  Status prepare();
  Status repeat_calls();
  Result<Next> finish_last_turn();
  Result<Next> talk();
  Result<Next> hear(AgentProcess& agent, const Json& message);
  Result<Next> take_turn(AgentProcess& agent, const Json& message);
  // Answers the calls of the last turn that have no answer yet. False where it was interrupted.
  Result<bool> answer_calls(const std::vector<ReportedCall>& calls);
  Status answer_call(std::size_t position, const ReportedCall& call, bool& interrupted);
  [[nodiscard]] std::optional<StopReason> reason_to_stop() const;
  Result<Next> end_in_time();
  Result<Next> end(StopReason reason, const std::string& text);

  [[nodiscard]] Result<AgentHello> hello();
  // The message that follows on the last turn, where its feedback is chosen.
  [[nodiscard]] Result<std::optional<NextMessage>> next_message();
  [[nodiscard]] Result<Reports> reports_of(const Turn& turn);
  // A component's words on the kernels as they lie there, which became that row.
  [[nodiscard]] Result<std::string> words_of(const std::string& component, const Evaluation& row);
  [[nodiscard]] bool is_of_planner(std::size_t turn) const;
  [[nodiscard]] int coder_turns() const;
  [[nodiscard]] Json opening() const;
  [[nodiscard]] std::vector<std::string> results_of_last_turn() const;
  [[nodiscard]] std::optional<std::string> text_of(const std::string& hash) const;
  [[nodiscard]] std::string variant() const;
  [[nodiscard]] double seconds_used() const;
  [[nodiscard]] bool out_of_time() const;
  std::string keep(const std::string& text);
  void note(const std::string& text) const;

  AgentSurroundings& around_;
  Episode episode_;
  const WorkspaceTexts& texts_;
  EpisodeBudget budget_;
  EpisodeSampling sampling_;
  Contents contents_;  // texts of this episode, as far as they were said
  ScratchFolder scratch_;
  std::optional<EpisodeTools> tools_;
  std::map<std::pair<std::string, std::string>, std::string> spoken_;  // key: component and tree
  std::chrono::steady_clock::time_point begun_;
  double seconds_before_ = 0;  // time that the episode took before it was cut off
  int submissions_ = 0;        // calls of submit so far
  // The endpoint's failure since its last reply; empty if there is none.
  std::string endpoint_failure_;
};

}  // namespace kbench
