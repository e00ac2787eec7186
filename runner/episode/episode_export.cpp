#include "runner/episode/episode_export.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "reports/episodes/episode_story.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {

EpisodeExporter::EpisodeExporter(const Store& store, EpisodeExport request,
                                 std::function<void(const std::string& why)> left_out)
    : store_(&store),
      request_(std::move(request)),
      left_out_(std::move(left_out)),
      rows_(store, request_.trust),
      filter_(request_.filter.value_or(default_rule(request_.kind))) {}

Result<EpisodeExporter> EpisodeExporter::prepare(
    const Store& store, EpisodeExport request,
    std::function<void(const std::string& why)> left_out) {
  EpisodeExporter exporter(store, std::move(request), std::move(left_out));
  if (auto read = exporter.read_inputs(); !read) return read.error();
  return Result<EpisodeExporter>(std::move(exporter));
}

Status EpisodeExporter::read_inputs() {
  if (request_.held_out) {
    auto tasks = HeldOutTasks::read(*request_.held_out);
    if (!tasks) return tasks.error();
    held_out_ = std::move(*tasks);
  }
  if (request_.values) {
    auto values = read_values(*request_.values);
    if (!values) return values.error();
    values_ = std::move(*values);
  }
  for (const std::string& name : request_.runs) {
    const auto run = find_run_named(*store_, name);
    if (!run) return run.error();
    runs_.push_back(run->id);
  }
  return Done{};
}

Status EpisodeExporter::write(const std::function<Status(const std::string& line)>& write) {
  const auto all = store_->episodes();
  if (!all) return all.error();
  for (auto one = all->rbegin(); one != all->rend(); ++one) {
    const bool chosen =
        runs_.empty() || std::find(runs_.begin(), runs_.end(), one->head.run_id) != runs_.end();
    if (!chosen) continue;
    if (auto written = write_one(one->head.id, write); !written) return written;
  }
  return Done{};
}

Status EpisodeExporter::write_one(const std::string& id,
                                  const std::function<Status(const std::string& line)>& write) {
  const auto episode = store_->read_episode(id);
  if (!episode) return leave_out(episode.error());
  const auto contents = load_texts(*store_, *episode);
  if (!contents) return contents.error();
  const auto row = rows_.find(episode->run_id, last_evaluation(*episode));
  if (!row) return row.error();
  auto line = line_of(*episode, *contents, *row);
  const auto rejection = reject(line.trajectory, filter_);
  if (rejection) {
    counts_.add(rejection);
    return Done{};
  }
  if (auto added = add_values(*episode, line); !added) return added;
  const auto text = render_episode(line, request_.kind);
  if (!text) return leave_out(text.error());
  counts_.add(std::nullopt);
  return write(*text);
}

EpisodeLine EpisodeExporter::line_of(const Episode& episode, const Contents& contents,
                                     const ResultRow* row) const {
  const Reward reward = reward_of_episode(episode, row, request_.reward);
  return {.trajectory = {.episode = &episode,
                         .contents = &contents,
                         .reward = reward.value,
                         .reward_reason = reward.reason,
                         .flagged = row != nullptr && is_flagged(row->labels),
                         .held_out = held_out_.contains(episode.task)},
          .reward_name = reward.name,
          .state = row != nullptr ? std::string(to_string(row->state)) : "",
          .values = {}};
}

Status EpisodeExporter::add_values(const Episode& episode, EpisodeLine& line) const {
  if (!request_.values) return Done{};
  const auto found = values_.find(episode.id);
  if (found == values_.end())
    return Error{ErrorCode::kUsage,
                 fmt::format("{} has no values of episode {}", request_.values->string(),
                             clean_name(episode.id, 80)),
                 "Give values of every episode that is exported, or none."};
  const std::size_t turns = episode.turns.size();
  if (found->second.size() != turns && found->second.size() != turns + 1)
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} has {} values of episode {}, which has {} turns", request_.values->string(),
                    found->second.size(), clean_name(episode.id, 80), turns),
        "Give one for each turn, and perhaps one of what comes after the last."};
  line.values = found->second;
  return Done{};
}

Status EpisodeExporter::leave_out(const Error& error) {
  if (error.code != ErrorCode::kBadInput) return error;
  counts_.add(Rejection::kDamaged);
  left_out_(error.message);
  return Done{};
}

}  // namespace kbench
