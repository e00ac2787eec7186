#include "reports/episodes/episode_story.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/json_report.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostTextBytes = 256u << 20;  // all texts of one episode
constexpr std::size_t kLinesSaid = 12;              // lines of a turn, unless all of it is wanted
constexpr std::size_t kLinesOfAResult = 8;
constexpr std::size_t kShownOfATree = 8;

std::optional<std::string> text_of(const Contents& contents, const std::string& hash) {
  const auto found = contents.find(hash);
  return found == contents.end() ? std::nullopt : std::optional(found->second);
}

// Some endpoints send a list of parts.
std::string content_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return "";
  std::string text;
  for (const Json& part : content)
    if (part.is_object() && part.value("text", Json()).is_string())
      text += part.at("text").get<std::string>();
  return text;
}

// The words of a message beside its calls. A message that is no JSON is shown as it is.
std::string words_of_message(const std::string& message) {
  const auto json = parse_bounded_json(message);
  if (!json) return message;
  return json->is_object() ? content_text(json->value("content", Json())) : message;
}

std::optional<State> state_in(const std::optional<std::string>& result) {
  if (!result) return std::nullopt;
  const auto json = parse_bounded_json(*result);
  if (!json || !json->is_object()) return std::nullopt;
  const Json state = json->value("state", Json());
  return state.is_string() ? state_from_string(state.get<std::string>()) : std::nullopt;
}

// --- as text ---

class StoryText {
 public:
  StoryText(const EpisodeStory& story, const TableStyle& style) : story_(story), style_(style) {}

  std::string head() {
    const Episode& head = story_.head;
    line(fmt::format("episode {}  {} ({} on {}) by {}", head.id, head.task, head.size, head.device,
                     head.model));
    line(fmt::format("run {}, began {}, {}", short_id(head.run_id), head.started_at, ending()));
    if (story_.row != nullptr) line("last row: " + outcome(*story_.row));
    const Reward& reward = story_.reward;
    line(fmt::format("{}: {}{}", reward.name,
                     reward.value ? fmt::format("{:.6g}", *reward.value) : std::string("none"),
                     reward.reason.empty() ? "" : fmt::format(" ({})", reward.reason)));
    return std::exchange(text_, {});
  }

  std::string turn(std::size_t index, bool whole) {
    const StoryTurn& turn = story_.turns[index];
    text_ += "\n";
    line(fmt::format("turn {}   {}", index + 1, costs(turn)));
    paragraph(turn.said.value_or("(nobody has this text any more)"), whole ? 0 : kLinesSaid, "  ");
    for (const StoryCall& call : turn.calls) write_call(call, whole);
    return std::exchange(text_, {});
  }

 private:
  [[nodiscard]] std::string ending() const {
    if (!story_.head.stop_reason) return "and has not ended";
    return fmt::format("ended by {} after {} turn{}", to_string(*story_.head.stop_reason),
                       story_.turns.size(), story_.turns.size() == 1 ? "" : "s");
  }

  static std::string outcome(const ResultRow& row) {
    std::string text = words(row.state);
    if (row.over_eager) text += fmt::format(", {} over eager", show_speedup(row.over_eager));
    if (row.over_compiled)
      text += fmt::format(", {} over compiled", show_speedup(row.over_compiled));
    return text;
  }

  static std::string costs(const StoryTurn& turn) {
    std::vector<std::string> parts;
    if (turn.prompt_tokens && turn.completion_tokens)
      parts.push_back(fmt::format("{} + {} tokens", *turn.prompt_tokens, *turn.completion_tokens));
    parts.push_back(fmt::format("{:.1f} s", static_cast<double>(turn.wall_ms) / 1000));
    if (turn.compacted > 0) parts.push_back(fmt::format("{} shortened", turn.compacted));
    if (turn.invalid_calls > 0) parts.push_back(fmt::format("{} invalid", turn.invalid_calls));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  void write_call(const StoryCall& call, bool whole) {
    const std::string arguments = call.arguments.value_or("(lost)");
    if (whole) {
      line("  → " + call.tool);
      paragraph(readable(arguments), 0, "    ");
    } else {
      line(fmt::format("  → {} {}", call.tool, arguments));
    }
    std::vector<std::string> facts;
    if (call.error != CallError::kNone) facts.emplace_back(to_string(call.error));
    if (call.row != nullptr)
      facts.push_back(outcome(*call.row));
    else if (call.state)
      facts.push_back(words(*call.state));
    if (call.tree_before != call.tree_after)
      facts.push_back(fmt::format("kernels {}", call.tree_after.substr(0, kShownOfATree)));
    line(fmt::format("  ← {:.1f} s{}{}", static_cast<double>(call.wall_ms) / 1000,
                     facts.empty() ? "" : ", ", fmt::join(facts, ", ")));
    paragraph(readable(call.result.value_or("(lost)")), whole ? 0 : kLinesOfAResult, "    ");
  }

  // Members of an object one below the other, texts with their own line breaks.
  static std::string readable(const std::string& text) {
    const auto json = parse_bounded_json(text);
    if (!json || !json->is_object()) return text;
    std::string lines;
    for (const auto& [name, value] : json->items()) {
      const std::string shown = value.is_string() ? value.get<std::string>()
                                                  : value.dump(-1, ' ', /*ensure_ascii=*/false,
                                                               Json::error_handler_t::replace);
      lines += name + (shown.find('\n') == shown.npos ? ": " : ":\n") + shown + "\n";
    }
    return lines;
  }

  // One line of foreign text, as wide as the terminal at most.
  void line(const std::string& text) {
    const std::string shown = sanitize_line(text);
    append_line(text_, style_.columns > 0 ? shorten(shown, style_.columns) : shown);
  }

  // `most` lines of it; 0: all.
  void paragraph(std::string_view text, std::size_t most, const std::string& indent) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::size_t shown = 0;
    while (!text.empty()) {
      if (most > 0 && shown == most) {
        const auto more = 1 + std::count(text.begin(), text.end(), '\n');
        line(fmt::format("{}… {} more line{}", indent, more, more == 1 ? "" : "s"));
        return;
      }
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(indent + std::string(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++shown;
    }
  }

  const EpisodeStory& story_;
  TableStyle style_;
  std::string text_;
};

// --- as JSON ---

Json text_json(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }
Json number_json(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json();
}
Json tree_json(const std::string& tree) { return tree.empty() ? Json() : Json(tree); }

Json call_json(const StoryCall& call) {
  const auto ratio = [](const std::optional<Speedup>& speedup) {
    return speedup ? rounded(speedup->estimate) : Json();
  };
  const std::optional<State> state =
      call.row != nullptr ? std::optional(call.row->state) : call.state;
  return {{"tool", call.tool},
          {"arguments", text_json(call.arguments)},
          {"result", text_json(call.result)},
          {"error", call.error == CallError::kNone ? Json() : Json(to_string(call.error))},
          {"tree_before", tree_json(call.tree_before)},
          {"tree_after", tree_json(call.tree_after)},
          {"state", state ? Json(to_string(*state)) : Json()},
          {"judged", call.row != nullptr},
          {"speedup",
           {{"eager", call.row != nullptr ? ratio(call.row->over_eager) : Json()},
            {"compiled", call.row != nullptr ? ratio(call.row->over_compiled) : Json()}}},
          {"wall_ms", call.wall_ms}};
}

Json turn_json(const StoryTurn& turn) {
  Json calls = Json::array();
  for (const StoryCall& call : turn.calls) calls.push_back(call_json(call));
  return {{"said", text_json(turn.said)},
          {"finish_reason", turn.finish_reason},
          {"prompt_tokens", number_json(turn.prompt_tokens)},
          {"completion_tokens", number_json(turn.completion_tokens)},
          {"invalid_calls", turn.invalid_calls},
          {"compacted", turn.compacted},
          {"wall_ms", turn.wall_ms},
          {"calls", std::move(calls)}};
}

Result<Contents> load(const Store& store, const std::vector<std::string>& hashes,
                      std::size_t most_bytes) {
  auto contents = store.readable_contents(hashes, most_bytes);
  if (!contents) return contents.error();
  return std::move(contents->texts);
}

}  // namespace

Result<Contents> load_texts(const Store& store, const Episode& episode) {
  const std::set<std::string> texts = texts_of(episode);
  return load(store, {texts.begin(), texts.end()}, kMostTextBytes);
}

Result<Contents> load_story_texts(const Store& store, const Episode& episode,
                                  std::size_t most_bytes) {
  std::vector<std::string> hashes;
  for (const Turn& turn : episode.turns) {
    hashes.push_back(turn.reply);
    for (const ToolCall& call : turn.calls)
      hashes.insert(hashes.end(), {call.arguments, call.result});
  }
  return load(store, hashes, most_bytes);
}

Result<EpisodeStory> tell_story(const StoredEpisode& stored, const FindRow& find_row,
                                const RewardRule& rule) {
  const Episode& episode = stored.episode;
  const Contents& contents = stored.contents;
  EpisodeStory story;
  const auto last = find_row(episode.run_id, last_evaluation(episode));
  if (!last) return last.error();
  story.row = *last;
  story.reward = reward_of_episode(episode, story.row, rule);
  story.head = episode;
  story.head.turns.clear();
  for (const Turn& turn : episode.turns) {
    StoryTurn told{.said = text_of(contents, turn.reply),
                   .finish_reason = turn.finish_reason,
                   .prompt_tokens = turn.prompt_tokens,
                   .completion_tokens = turn.completion_tokens,
                   .invalid_calls = turn.invalid_calls,
                   .compacted = turn.compacted,
                   .wall_ms = turn.wall_ms,
                   .calls = {}};
    if (told.said) told.said = words_of_message(*told.said);
    for (const ToolCall& call : turn.calls) {
      const auto row = find_row(episode.run_id, call.evaluation);
      if (!row) return row.error();
      StoryCall one{.tool = call.tool,
                    .arguments = text_of(contents, call.arguments),
                    .result = text_of(contents, call.result),
                    .error = call.error,
                    .tree_before = call.tree_before,
                    .tree_after = call.tree_after,
                    .state = {},
                    .row = *row,
                    .wall_ms = call.wall_ms};
      one.state = state_in(one.result);
      told.calls.push_back(std::move(one));
    }
    story.turns.push_back(std::move(told));
  }
  return story;
}

Result<std::string> render_story(const EpisodeStory& story, const TableStyle& style,
                                 std::optional<int> turn) {
  const auto turns = static_cast<int>(story.turns.size());
  if (turn && (*turn < 1 || *turn > turns))
    return Error{ErrorCode::kNotFound,
                 fmt::format("episode {} has no turn {}", short_id(story.head.id), *turn),
                 fmt::format("It has {}.", turns)};
  StoryText writer(story, style);
  std::string text = writer.head();
  if (turn) return text + writer.turn(static_cast<std::size_t>(*turn - 1), true);
  for (std::size_t i = 0; i < story.turns.size(); ++i) text += writer.turn(i, false);
  return text;
}

Json story_json(const EpisodeStory& story) {
  Json json = episode_json(story.head, story.row, story.reward);
  Json turns = Json::array();
  for (const StoryTurn& turn : story.turns) turns.push_back(turn_json(turn));
  json["turns"] = std::move(turns);
  json["schema_version"] = kReportSchemaVersion;
  return json;
}

}  // namespace kbench
