#include "runner/cli/command_agent.hpp"

#include <string>

#include "runner/cli/command_help.hpp"

namespace kbench {
namespace {

template <class Number>
void add_number(CLI::App& app, const char* name, Number& value, double least, double most,
                const char* help) {
  app.add_option(name, value, help)->check(CLI::Range(least, most).description(""))->type_name("N");
}

void add_endpoint(CLI::App& run, AgentRunOptions& options) {
  run.add_option("--endpoint", options.endpoint,
                 "Address of an OpenAI-compatible server, as http://127.0.0.1:8000/v1")
      ->required()
      ->type_name("URL");
  run.add_option("--model", options.model, "The model's name, as the endpoint has it")
      ->type_name("NAME");
  auto* variable = run.add_option("--key-env", options.key_env,
                                  "Variable with the endpoint's key (default: no key is sent)")
                       ->type_name("VARIABLE");
  add_path(run, "--key-file", options.key_file, "File with the key, of mode 0600")
      ->type_name("FILE")
      ->excludes(variable);
  add_number(run, "--timeout", options.timeout_s, 1, 86'400,
             "Seconds that one answer may take (default: 600)");
}

void add_sampling(CLI::App& run, AgentRunOptions& options) {
  add_choice<AgentStyle>(run, "--style", options.sampling.style,
                         {{"react", AgentStyle::kReact}, {"refine", AgentStyle::kRefine}},
                         "Tools, or a kernel in each reply and none (default: react)");
  add_number(run, "--temperature", options.sampling.temperature, 0, 10,
             "Of sampling (default: not said)");
  add_number(run, "--max-tokens", options.sampling.max_tokens, 1, 1e9,
             "Of one reply (default: not said)");
  add_number(run, "--seed", options.seed, 0, 1e15,
             "Of the first episode; each has one more (default: 0)");
}

void add_budget(CLI::App& run, AgentRunOptions& options) {
  add_number(run, "--turns", options.budget.turns, 1, 100'000,
             "Turns of an episode (default: 150)");
  add_number(run, "--tokens", options.budget.tokens, 0, 1e15,
             "Tokens of an episode, prompts included; 0 for no limit (default: 0)");
  add_number(run, "--evaluations", options.budget.evaluations, 0, 100'000,
             "Calls of verify and submit; 0 for no limit (default: 50)");
  add_number(run, "--seconds", options.budget.seconds, 0, 1e8,
             "Seconds of an episode; 0 for no limit (default: 0)");
  add_number(run, "--window", options.budget.window, 1000, 1e9,
             "Tokens of the model's window (default: 131072)");
}

}  // namespace

CLI::App* add_agent(CLI::App& app, AgentRunOptions& options) {
  auto* agent = app.add_subcommand("agent", "Let a model solve tasks, and keep what it does");
  agent->require_subcommand(1);
  agent->footer(help_of("agent run"));
  auto* run = agent->add_subcommand("run", "Episodes of a model behind an endpoint");
  run->footer(help_of("agent run"));
  add_endpoint(*run, options);
  add_levels(*run, options.levels);
  add_task_globs(*run, options.tasks);
  add_number(*run, "--episodes", options.episodes, 1, 100'000, "Of each task (default: 1)");
  add_number(*run, "--parallel", options.parallel, 1, 256,
             "Episodes at once; one device judges them all (default: 4)");
  add_sampling(*run, options);
  add_budget(*run, options);
  add_size(*run, options.size);
  add_device(*run, options.device);
  run->add_flag("--quick", options.quick, "Time submissions in eight blocks only");
  add_reward(*run, options.reward, "Reward that is shown (default: milestone_sure)");
  add_allow_torch(*run, options.allow_torch);
  add_trust(*run, options.common.trust);
  run->add_option("--resume", options.resume,
                  "Go on with what is open in this run, as latest; its options are kept")
      ->type_name("RUN");
  add_database(*run, options.database);
  add_wide(*run, options.common);
  add_common(*run, options.common, true);
  return run;
}

}  // namespace kbench
