#include "runner/cli/command_episodes.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/cli/command_help.hpp"

namespace kbench {
namespace {

std::vector<std::pair<std::string, FilterRule>> rule_names() {
  std::vector<std::pair<std::string, FilterRule>> names;
  for (const FilterRule rule : filter_rules()) names.emplace_back(to_string(rule), rule);
  return names;
}

}  // namespace

std::array<EpisodesApps::Asked, 2> EpisodesApps::requests() const {
  return {{{list, EpisodesRequest::What::kList}, {show, EpisodesRequest::What::kShow}}};
}

EpisodesApps add_episodes(CLI::App& app, EpisodesOptions& options) {
  auto* episodes = app.add_subcommand("episodes", "Look at what agents said and did");
  episodes->require_subcommand(1);
  episodes->footer(help_of("episodes"));
  const EpisodesApps apps = {
      episodes->add_subcommand("list", "One line for each stored episode"),
      episodes->add_subcommand("show", "An episode, turn by turn"),
  };
  apps.list
      ->add_option("--run", options.run,
                   "Start of an id, a tag, latest or latest~N (default: all runs)")
      ->type_name("RUN");
  apps.show->add_option("EPISODE", options.id, "Start of its id")->required()->type_name("");
  apps.show->add_option("--turn", options.turn, "This turn alone, and all of it")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  for (auto* one : {apps.list, apps.show}) {
    one->footer(help_of("episodes"));
    add_reward(*one, options.reward, "Reward that is shown (default: milestone_sure)");
    add_trust(*one, options.common.trust);
    add_database(*one, options.database);
    add_json(*one, options.format);
    add_wide(*one, options.common);
    add_common(*one, options.common, false);
  }
  return apps;
}

CLI::App* add_export(CLI::App& app, ExportOptions& options) {
  auto* command = app.add_subcommand("export", "Export episodes as SFT, RFT or PPO data");
  command->footer(help_of("export"));
  add_choice<ExportKind>(
      *command, "KIND", options.kind,
      {{"sft", ExportKind::kSft}, {"rft", ExportKind::kRft}, {"ppo", ExportKind::kPpo}},
      "For what, see below")
      ->required();
  command
      ->add_option_function<std::string>(
          "--output,-o",
          [&options](const std::string& word) {
            if (word != "-") options.out = word;
          },
          "File that gets them, one a line (default: standard output)")
      ->type_name("FILE");
  command
      ->add_option("--run", options.runs,
                   "Start of an id, a tag, latest or latest~N; may be repeated (default: all runs)")
      ->allow_extra_args(false)
      ->type_name("RUN");
  add_choice<FilterRule>(*command, "--filter", options.filter, rule_names(),
                         "Which are taken (default: by KIND)");
  add_reward(*command, options.reward, "What they are worth (default: milestone_sure)");
  add_trust(*command, options.common.trust);
  add_path(*command, "--held-out", options.held_out,
           "Tasks that nobody may be trained on, an id or a glob a line")
      ->type_name("FILE");
  add_path(*command, "--values", options.values,
           "A critic's values for ppo: {\"episode\": ID, \"values\": [...]} a line")
      ->type_name("FILE");
  add_database(*command, options.database);
  add_common(*command, options.common, false);
  return command;
}

}  // namespace kbench
