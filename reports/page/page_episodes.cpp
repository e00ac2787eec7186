#include "reports/page/page_episodes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/episodes/episode_story.hpp"
#include "reports/facts/fields.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/page/html_writer.hpp"
#include "reports/page/page_data.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestText = 8u << 10;
constexpr std::size_t kShownOfATree = 8;

RewardRule page_reward(const PageModel& page) {
  if (page.data.reward) return *page.data.reward;
  return find_reward(kDefaultReward).value();  // a name of ours
}

std::vector<EpisodeStory> stories_of(const PageModel& page) {
  std::map<std::pair<std::string, std::string>, const ResultRow*> rows;
  for (std::size_t i = 0; i < page.rows.size(); ++i)
    rows.emplace(std::pair(page.evaluations[i]->run_id, page.evaluations[i]->key), &page.rows[i]);
  const FindRow find = [&rows](const std::string& run_id,
                               const std::string& key) -> Result<const ResultRow*> {
    if (key.empty()) return static_cast<const ResultRow*>(nullptr);
    const auto found = rows.find({run_id, key});
    return found == rows.end() ? nullptr : found->second;
  };
  const RewardRule rule = page_reward(page);
  std::vector<EpisodeStory> stories;
  for (const StoredEpisode& episode : page.data.episodes)
    if (auto story = tell_story(episode, find, rule)) stories.push_back(std::move(*story));
  return stories;
}

std::int64_t tokens_of(const EpisodeStory& story) {
  std::int64_t sum = 0;
  for (const StoryTurn& turn : story.turns)
    sum += turn.prompt_tokens.value_or(0) + turn.completion_tokens.value_or(0);
  return sum;
}

std::string ending_of(const Episode& head) {
  return head.stop_reason ? std::string(to_string(*head.stop_reason)) : "unfinished";
}

// Texts as the page takes them, as long as it has room.
class Texts {
 public:
  Json take(const std::optional<std::string>& text) {
    if (!text) return {};
    std::string shown = sanitize_text(std::string_view(*text).substr(0, kLongestText));
    if (text->size() > kLongestText)
      shown += fmt::format("\n… {} bytes are left out", text->size() - kLongestText);
    Json json = std::move(shown);
    used_ += for_script_element(json).size();
    return used_ > kMostShownTexts ? Json() : json;
  }

 private:
  std::size_t used_ = 0;
};

Json row_index(const PageModel& page, const ResultRow* row) {
  return row == nullptr ? Json() : Json(row - page.rows.data());
}

Json call_json(const PageModel& page, const StoryCall& call, Texts& texts) {
  const bool changed = call.tree_after != call.tree_before;
  return {
      {"tool", shorten(sanitize_line(call.tool), 80)},
      {"arguments", texts.take(call.arguments)},
      {"result", texts.take(call.result)},
      {"error", call.error == CallError::kNone ? Json() : Json(to_string(call.error))},
      {"tree", changed ? Json(sanitize_line(call.tree_after.substr(0, kShownOfATree))) : Json()},
      {"state", call.state ? Json(to_string(*call.state)) : Json()},
      {"row", row_index(page, call.row)}};
}

Json turn_json(const PageModel& page, const StoryTurn& turn, Texts& texts) {
  Json calls = Json::array();
  for (const StoryCall& call : turn.calls) calls.push_back(call_json(page, call, texts));
  const bool counted = turn.prompt_tokens && turn.completion_tokens;
  return {
      {"said", texts.take(turn.said)},
      {"tokens", counted ? Json::array({*turn.prompt_tokens, *turn.completion_tokens}) : Json()},
      {"seconds", static_cast<double>(turn.wall_ms) / 1000},
      {"compacted", turn.compacted},
      {"invalid", turn.invalid_calls},
      {"calls", std::move(calls)}};
}

std::string command_of(const PageModel& page, const Episode& head) {
  const std::string database =
      page.data.database.empty() ? "kbench.sqlite" : page.data.database.filename().string();
  return fmt::format("kbench episodes show {} --db {}", shell_word(head.id), shell_word(database));
}

Json story_page_json(const PageModel& page, const EpisodeStory& story, Texts& texts) {
  const Episode& head = story.head;
  Json turns = Json::array();
  for (const StoryTurn& turn : story.turns) turns.push_back(turn_json(page, turn, texts));
  return {{"id", sanitize_line(short_id(head.id))},
          {"task", sanitize_line(head.task)},
          {"size", sanitize_line(head.size)},
          {"device", sanitize_line(head.device)},
          {"model", sanitize_line(head.model)},
          {"stop", ending_of(head)},
          {"started_at", sanitize_line(head.started_at)},
          {"reward", story.reward.value ? rounded(*story.reward.value) : Json()},
          {"row", row_index(page, story.row)},
          {"count", story.turns.size()},
          {"tokens", tokens_of(story)},
          {"command", command_of(page, head)},
          {"turns", std::move(turns)}};
}

}  // namespace

Json page_episodes_json(const PageModel& page) {
  Json episodes = Json::array();
  Texts texts;
  for (const EpisodeStory& story : stories_of(page))
    episodes.push_back(story_page_json(page, story, texts));
  return episodes;
}

std::string episodes_html(const PageModel& page) {
  if (page.data.episodes.empty()) return "";
  constexpr std::array kHeads = {"Task", "Model", "Turns", "Ended by", "State", "Over eager"};
  HtmlWriter html;
  html.element("h2", "Episodes");
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Episodes of agents"}});
  html.open("table").element("caption", "What agents did, an episode a line");
  html.open("thead").open("tr");
  for (const char* head : kHeads) html.element("th", head, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const EpisodeStory& story : stories_of(page)) {
    html.open("tr").element("th", story.head.task, {{"scope", "row"}});
    html.element("td", story.head.model);
    html.element("td", fmt::format("{}", story.turns.size()), {{"class", "number"}});
    html.element("td", ending_of(story.head));
    html.element("td", story.row != nullptr ? words(story.row->state) : "–");
    html.element("td", story.row != nullptr ? show_speedup(story.row->over_eager) : "–",
                 {{"class", "number"}});
    html.close();
  }
  html.close().close().close();
  return html.take();
}

}  // namespace kbench
