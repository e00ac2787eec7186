#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/episodes/episode_list.hpp"
#include "reports/episodes/episode_story.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chained_store.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

Result<int> list(const Store& store, const EpisodesOptions& options, const RewardRule& rule) {
  std::optional<std::string> run_id;
  if (options.run) {
    const auto run = find_run_named(store, *options.run);
    if (!run) return run.error();
    run_id = run->id;
  }
  const auto episodes = load_episodes(store, run_id, rule, options.common.trust);
  if (!episodes) return episodes.error();
  const std::string where =
      run_id ? fmt::format("run {}", short_id(*run_id)) : options.database.string();
  if (episodes->empty())
    return finish(ExitCode::kNothingSelected, fmt::format("{} has no episodes", where),
                  options.common.verbosity);
  if (options.format == OutputFormat::kJson)
    print_json(episodes_json(*episodes));
  else
    fmt::print("{}", render_episodes(*episodes, output_style(options.common)));
  return finish(
      ExitCode::kGood,
      fmt::format("{} episode{} in {}", episodes->size(), episodes->size() == 1 ? "" : "s", where),
      options.common.verbosity);
}

Result<int> show(const Store& store, const EpisodesOptions& options, const RewardRule& rule) {
  auto episode = store.read_episode(options.id);
  if (!episode) return episode.error();
  auto contents = load_texts(store, *episode);
  if (!contents) return contents.error();
  RowsOfRuns rows(store, options.common.trust);
  const auto story = tell_story({std::move(*episode), std::move(*contents)}, rows.finder(), rule);
  if (!story) return story.error();
  if (options.format == OutputFormat::kJson) {
    print_json(story_json(*story));
  } else {
    const auto text = render_story(*story, output_style(options.common), options.turn);
    if (!text) return text.error();
    fmt::print("{}", *text);
  }
  return finish(ExitCode::kGood,
                fmt::format("episode {}, {} turn{}", short_id(story->head.id), story->turns.size(),
                            story->turns.size() == 1 ? "" : "s"),
                options.common.verbosity);
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

int call(const EpisodesRequest& request, const Installation& installation) {
  const EpisodesOptions& options = request.options;
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto rule = find_reward(options.reward);
  if (!rule) return fail(rule.error(), terminal);
  const auto store = open_with_key(options.database, Store::Mode::kReadOnly, installation.state);
  if (!store) return fail(store.error(), terminal);
  const auto status = request.what == EpisodesRequest::What::kList ? list(*store, options, *rule)
                                                                   : show(*store, options, *rule);
  return status ? *status : fail(status.error(), terminal);
}

}  // namespace kbench
