#include "reports/episodes/episode_list.hpp"

#include <utility>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/rewards.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/json_report.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// The JSON as it was recorded; a text that is no JSON stays a text.
Json recorded_or_text(const std::string& text) {
  auto json = parse_bounded_json(text);
  return json ? std::move(*json) : Json(text);
}

Json speedup_or_null(const std::optional<Speedup>& speedup) {
  if (!speedup) return {};
  return {{"estimate", rounded(speedup->estimate)},
          {"low", rounded(speedup->low)},
          {"high", rounded(speedup->high)},
          {"verdict", to_string(speedup->verdict)}};
}

std::string ending(const Episode& head) {
  return head.stop_reason ? std::string(to_string(*head.stop_reason)) : "unfinished";
}

Cell text_cell(const std::string& text) { return {sanitize_line(text), {}}; }

Cell state_cell(const std::optional<ResultRow>& row) {
  if (!row) return {"–", {}};
  return {fmt::format("{} {}", glyph(row->state), words(row->state)), tone(row->state)};
}

}  // namespace

Result<const ResultRow*> RowsOfRuns::find(const std::string& run_id, const std::string& key) {
  if (key.empty()) return static_cast<const ResultRow*>(nullptr);
  const auto [run, is_new] = rows_.try_emplace(run_id);
  if (is_new) {
    auto data = load_report(store_, run_id, Shards::kApart);
    if (!data) return data.error();
    data->trust = trust_;
    for (const Evaluation& evaluation : data->evaluations)
      run->second.emplace(evaluation.key, derive(*data, evaluation));
  }
  const auto row = run->second.find(key);
  return row == run->second.end() ? nullptr : &row->second;
}

FindRow RowsOfRuns::finder() {
  return [this](const std::string& run_id, const std::string& key) { return find(run_id, key); };
}

Reward reward_of_episode(const Episode& head, const ResultRow* row, const RewardRule& rule) {
  if (row != nullptr) return reward_of(*row, rule);
  Reward none{.name = rule.name, .value = {}, .reason = {}};
  if (!head.stop_reason) {
    none.reason = "it has not ended";
  } else if (is_infrastructure(*head.stop_reason)) {
    none.reason = "a fault of the endpoint, of kbench or of the machine ended it";
  } else {
    none = reward(rule, {.state = State::kSubmissionError, .unranked = {}});
    none.reason = "nothing was submitted";
  }
  return none;
}

Result<std::vector<ListedEpisode>> load_episodes(const Store& store,
                                                 const std::optional<std::string>& run_id,
                                                 const RewardRule& rule, Trust trust) {
  auto summaries = store.episodes(run_id);
  if (!summaries) return summaries.error();
  RowsOfRuns rows(store, trust);
  std::vector<ListedEpisode> episodes;
  for (EpisodeSummary& summary : *summaries) {
    const auto row = rows.find(summary.head.run_id, summary.evaluation);
    if (!row) return row.error();
    ListedEpisode episode;
    episode.reward = reward_of_episode(summary.head, *row, rule);
    if (*row != nullptr) episode.row = **row;
    episode.summary = std::move(summary);
    episodes.push_back(std::move(episode));
  }
  return episodes;
}

std::string render_episodes(const std::vector<ListedEpisode>& episodes, const TableStyle& style) {
  Column id{.heading = "Episode"};
  Column run{.heading = "Run", .importance = 1};
  Column date{.heading = "Date (UTC)", .importance = 2};
  Column task{.heading = "Task", .kind = Column::Kind::kName};
  Column model{.heading = "Model", .kind = Column::Kind::kName, .importance = 6};
  Column turns{.heading = "Turns", .kind = Column::Kind::kNumber, .importance = 5};
  Column calls{.heading = "Calls", .kind = Column::Kind::kNumber, .importance = 3};
  Column end{.heading = "Ended by", .importance = 7};
  Column state{.heading = "State", .importance = 9};
  Column speedup{.heading = "Over eager", .kind = Column::Kind::kNumber, .importance = 8};
  Column reward{.heading = "Reward", .kind = Column::Kind::kNumber, .importance = 4};
  for (const ListedEpisode& one : episodes) {
    const Episode& head = one.summary.head;
    const bool ended = head.stop_reason.has_value();
    id.cells.push_back(text_cell(short_id(head.id)));
    run.cells.push_back(text_cell(short_id(head.run_id)));
    date.cells.push_back(text_cell(minute_of(head.started_at)));
    task.cells.push_back(text_cell(head.task));
    model.cells.push_back(text_cell(head.model));
    turns.cells.push_back({fmt::format("{}", one.summary.turns), {}});
    calls.cells.push_back(
        {one.summary.invalid_calls > 0
             ? fmt::format("{} ({} invalid)", one.summary.calls, one.summary.invalid_calls)
             : fmt::format("{}", one.summary.calls),
         {}});
    end.cells.push_back({ending(head), ended ? std::nullopt : std::optional(Tone::kCaution)});
    state.cells.push_back(state_cell(one.row));
    speedup.cells.push_back({show_speedup(one.row ? one.row->over_eager : std::nullopt), {}});
    reward.cells.push_back(
        {one.reward.value ? fmt::format("{:.3g}", *one.reward.value) : std::string("–"), {}});
  }
  return render_table({std::move(id), std::move(run), std::move(date), std::move(task),
                       std::move(model), std::move(turns), std::move(calls), std::move(end),
                       std::move(state), std::move(speedup), std::move(reward)},
                      style);
}

Json episode_json(const Episode& head, const ResultRow* row, const Reward& reward) {
  return {{"id", head.id},
          {"run_id", head.run_id},
          {"task", head.task},
          {"size", head.size},
          {"device", head.device},
          {"model", head.model},
          {"sampling", recorded_or_text(head.sampling)},
          {"seed", head.seed},
          {"budget", recorded_or_text(head.budget)},
          {"started_at", head.started_at},
          {"finished_at", text_or_null(head.finished_at)},
          {"stop_reason", head.stop_reason ? Json(to_string(*head.stop_reason)) : Json()},
          {"state", row != nullptr ? Json(to_string(row->state)) : Json()},
          {"speedup",
           {{"eager", row != nullptr ? speedup_or_null(row->over_eager) : Json()},
            {"compiled", row != nullptr ? speedup_or_null(row->over_compiled) : Json()}}},
          {"reward", to_json(reward)}};
}

Json episodes_json(const std::vector<ListedEpisode>& episodes) {
  Json list = Json::array();
  for (const ListedEpisode& one : episodes) {
    Json json = episode_json(one.summary.head, one.row ? &*one.row : nullptr, one.reward);
    json["turns"] = one.summary.turns;
    json["calls"] = one.summary.calls;
    json["invalid_calls"] = one.summary.invalid_calls;
    json["tokens"] = one.summary.tokens;
    list.push_back(std::move(json));
  }
  return {{"schema_version", kReportSchemaVersion}, {"episodes", std::move(list)}};
}

}  // namespace kbench
