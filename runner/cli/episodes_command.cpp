#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/episodes/episode_list.hpp"
#include "reports/episodes/episode_story.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Result<End> list(const Store& store, const EpisodesOptions& options, const RewardRule& rule) {
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
    return Error{ErrorCode::kNotFound, fmt::format("{} has no episodes", where),
                 "`kbench agent run` stores one for each task"};
  print_found(options, *episodes, episodes_json, render_episodes);
  return good(counted(episodes->size(), "episode") + " in " + where);
}

Result<End> show(const Store& store, const EpisodesOptions& options, const RewardRule& rule) {
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
  return good(fmt::format("episode {}, {}", short_id(story->head.id),
                          counted(story->turns.size(), "turn")));
}

}  // namespace

CLI::App* add_episodes(CLI::App& app, EpisodesOptions& options) {
  using What = EpisodesOptions::What;
  auto& episodes = add_group(app, "episodes", "Look at what agents said and did");
  auto& list =
      add_form(episodes, "list", options.what, What::kList, "One line for each stored episode");
  auto& show = add_form(episodes, "show", options.what, What::kShow, "An episode, turn by turn");
  add_value(list, "--run", options.run, "RUN",
            "Start of an id, a tag, latest or latest~N (default: all runs)");
  add_value(show, "EPISODE", options.id, "", "Start of its id")->required();
  add_number(show, "--turn", options.turn, 1, 1'000'000, "This turn alone, and all of it");
  for (auto* one : {&list, &show}) {
    add_reward(*one, options.reward, "Reward that is shown (default: milestone_sure)");
    add_trust(*one, options.common.trust);
    add_database(*one, options.database);
    add_json(*one, options.format);
    add_wide(*one, options.common);
    add_common(*one, options.common, false);
  }
  return &episodes;
}

Result<End> call(const EpisodesOptions& options, const Installation& installation) {
  const auto rule = find_reward(options.reward);
  if (!rule) return rule.error();
  const auto store = open_with_key(options.database, Store::Mode::kReadOnly, installation.state);
  if (!store) return store.error();
  return options.what == EpisodesOptions::What::kList ? list(*store, options, *rule)
                                                      : show(*store, options, *rule);
}

}  // namespace kbench
