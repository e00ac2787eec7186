#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/episodes/episode_list.hpp"
#include "runner/cli/agent_world.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/requests.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/episode/agent_run.hpp"
#include "runner/feedback/component.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/store.hpp"

namespace kbench {

Result<AgentRunRequest> request_of(const AgentRunOptions& options, RewardRule rule) {
  AgentRunRequest request = options;
  if (auto fine = take_endpoint(options.words, request); !fine) return fine.error();
  request.run.suite = options.common.suite;
  if (!options.feedback.empty()) {
    const auto components = built_in_components(options.feedback);
    if (!components) return components.error();
    request.sampling.feedback.emplace();
    for (const Component& one : *components) request.sampling.feedback->push_back(one.name);
  }
  request.reward = std::move(rule);
  request.trust = options.common.trust;
  return request;
}

namespace {

Result<std::vector<ListedEpisode>> read_episodes(const AgentRunOptions& options,
                                                 const RewardRule& rule, const std::string& run,
                                                 const Installation& installation) {
  const auto store = open_with_key(options.database, Store::Mode::kReadOnly, installation.state);
  if (!store) return store.error();
  return load_episodes(*store, run, rule, options.common.trust);
}

End report(const AgentRunOptions& options, const std::string& run,
           const std::vector<ListedEpisode>& episodes) {
  fmt::print("{}", render_episodes(episodes, output_style(options.common)));
  std::size_t open = 0;
  std::size_t ours = 0;
  for (const ListedEpisode& one : episodes) {
    const auto& reason = one.summary.head.stop_reason;
    open += reason ? 0u : 1u;
    ours += reason && is_infrastructure(*reason) ? 1u : 0u;
  }
  const std::string saved =
      fmt::format("run {} saved in {}", short_id(run), options.database.string());
  if (open > 0)
    return End{ExitCode::kInterrupted,
               fmt::format("interrupted; {} of {} episodes go on with --resume; {}", open,
                           episodes.size(), saved)};
  if (ours > 0)
    return End{ExitCode::kInfrastructure,
               fmt::format("{} of {} episodes ended by a fault of the endpoint, of kbench or "
                           "of the machine; {}",
                           ours, episodes.size(), saved)};
  return good(counted(episodes.size(), "episode") + "; " + saved);
}

Status check_options(const AgentRunOptions& options) {
  if (!options.resume &&
      (options.model.empty() || (options.run.tasks.empty() && options.run.levels.empty())))
    return Error{ErrorCode::kUsage, "kbench agent run needs a model and tasks, or --resume",
                 "kbench agent run --endpoint http://127.0.0.1:8000/v1 --model NAME --task "
                 "level1/019_relu"};
  const bool chosen = !options.feedback.empty() || options.sampling.plan;
  if (chosen && options.sampling.style != AgentStyle::kRefine)
    return Error{ErrorCode::kUsage, "--feedback and --plan are of --style refine",
                 "with tools a model asks for its feedback itself"};
  if (options.sampling.plan && options.feedback.empty())
    return Error{ErrorCode::kUsage, "--plan needs --feedback: what the planner is told",
                 "--feedback error,profiler; --feedback none tells it nothing"};
  if (auto sound = check_database_path(options.database); !sound) return sound;
  return check_database_folder(options.database);
}

void add_sampling(CLI::App& run, AgentRunOptions& options) {
  add_choice<AgentStyle>(run, "--style", options.sampling.style,
                         {{"react", AgentStyle::kReact}, {"refine", AgentStyle::kRefine}},
                         "react: it calls tools; refine: a kernel in each reply (default: react)");
  add_value(run, "--feedback", options.feedback, "LIST",
            "Refine: what to tell: error, debugger, analyzer, profiler (with commas), or none");
  run.add_flag("--plan", options.sampling.plan,
               "Refine: ask for a plan first, on the same feedback");
  add_number(run, "--temperature", options.sampling.temperature, 0, 10,
             "Temperature of sampling (default: not sent)");
  add_number(run, "--max-tokens", options.sampling.max_tokens, 1, 1e9,
             "Most tokens of one reply (default: not sent)");
  add_number(run, "--seed", options.seed, 0, 1e15,
             "Seed of the first episode; the next adds 1 (default: 0)");
}

void add_budget(CLI::App& run, AgentRunOptions& options) {
  add_number(run, "--turns", options.budget.turns, 1, 100'000,
             "Turns of an episode (default: 150)");
  add_number(run, "--tokens", options.budget.tokens, 0, 1e15,
             "Tokens of an episode, prompts included; 0 for no limit (default: 0)");
  add_number(run, "--evaluations", options.budget.evaluations, 0, 100'000,
             "Calls of verify, profile and submit; 0 for no limit (default: 50)");
  add_number(run, "--seconds", options.budget.seconds, 0, 1e8,
             "Seconds of an episode; 0 for no limit (default: 0)");
  add_number(run, "--window", options.budget.window, 1000, 1e9,
             "Tokens of the model's window (default: 131072)");
}

}  // namespace

CLI::App* add_agent(CLI::App& app, AgentRunOptions& options) {
  auto& agent = add_group(app, "agent", "Let a model solve tasks, and record every turn");
  agent.footer(help_of("agent run"));
  auto& run = add_verb(agent, "run", "Episodes of a model behind an endpoint");
  add_endpoint(run, options.words);
  add_value(run, "--model", options.model, "NAME", "The model's name, as the endpoint has it");
  add_levels(run, options.run.levels);
  add_task_globs(run, options.run.tasks);
  add_number(run, "--episodes", options.episodes, 1, 100'000, "Episodes of each task (default: 1)");
  add_number(run, "--parallel", options.parallel, 1, 256,
             "Episodes at once; one device judges them all (default: 4)");
  add_sampling(run, options);
  add_budget(run, options);
  add_size(run, options.run.size);
  add_device(run, options.run.device);
  run.add_flag("--quick", options.run.quick, "Time submissions in eight blocks only");
  add_reward(run, options.reward_name, "Reward that is shown (default: milestone_sure)");
  add_allow_torch(run, options.run.allow_torch);
  add_precision(run, options.run.precision);
  add_trust(run, options.common.trust);
  add_value(run, "--resume", options.resume, "RUN",
            "Continue the open episodes of this run (latest, a tag, an id), with its options");
  add_database(run, options.database);
  add_wide(run, options.common);
  add_common(run, options.common, true);
  return &agent;
}

Result<End> call(const AgentRunOptions& options, const Installation& installation) {
  if (auto fine = check_options(options); !fine) return fine.error();
  const auto rule = find_reward(options.reward_name);
  if (!rule) return rule.error();
  const auto request = request_of(options, *rule);
  if (!request) return request.error();
  const auto world = AgentWorld::make(options.common, installation);
  if (!world) return world.error();
  const auto outcome = run_agent(*request, (*world)->around());
  if (!outcome) return outcome.error();
  if (outcome->run_id.empty())
    return End{ExitCode::kInterrupted, "interrupted; no episode was begun"};
  const auto episodes = read_episodes(options, *rule, outcome->run_id, installation);
  if (!episodes) return episodes.error();
  return report(options, outcome->run_id, *episodes);
}

}  // namespace kbench
