#include "reports/write/page_extras.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/episodes/episode_story.hpp"
#include "reports/facts/levels.hpp"
#include "reports/facts/model.hpp"
#include "reports/over_time/loaded_trend.hpp"
#include "reports/write/reporter.hpp"
#include "runner/core/for_each_index.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/store/store.hpp"
#include "runner/task/family.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

// A row is foreign text: only what is the id of a task leads to a file of the suite.
std::vector<std::string> operators_of(const std::string& task, const std::string& size,
                                      const std::filesystem::path& suite) {
  std::vector<std::string> operators;
  const std::filesystem::path file = suite / (task + ".json");
  std::error_code failed;
  if (!entry_of_id(task) || !std::filesystem::is_regular_file(file, failed)) return operators;
  const auto graph = load_graph(file, size);
  if (!graph) return operators;
  for (const GraphNode& node : graph->nodes) operators.push_back(node.op);
  return operators;
}

void add_families(ReportData& data, const std::filesystem::path& suite) {
  std::map<std::string, std::string> sizes;
  for (const Evaluation& evaluation : data.evaluations)
    sizes.emplace(evaluation.task, evaluation.size);
  const std::vector<std::pair<std::string, std::string>> tasks(sizes.begin(), sizes.end());
  std::vector<std::vector<std::string>> families(tasks.size());
  for_each_index(tasks.size(), static_cast<int>(usable_cores().size()), [&](std::size_t i) {
    const auto& [task, size] = tasks[i];
    families[i] = families_of(task, operators_of(task, size, suite));
  });
  for (std::size_t i = 0; i < tasks.size(); ++i)
    data.families[tasks[i].first] = std::move(families[i]);
}

// Adds the sources of all rows. In the place of a damaged one the page says so, and keeps the row.
Status add_sources(ReportData& data, const Store& store) {
  std::vector<std::string> hashes;
  for (const Evaluation& evaluation : data.evaluations) {
    if (!evaluation.task_source.empty()) hashes.push_back(evaluation.task_source);
    for (const TreeFile& file : evaluation.sources) hashes.push_back(file.hash);
  }
  auto contents = store.readable_contents(hashes, kMostShownSources);
  if (!contents) return contents.error();
  data.contents = std::move(contents->texts);
  for (const auto& [hash, why] : contents->damaged)
    data.contents.emplace(hash, fmt::format("This file is damaged in {}: {}.\n",
                                            store.file().filename().string(), why));
  return Done{};
}

// Adds episodes of the run, or of all its shards, the oldest first: as many of their texts as the
// page takes, and of none more than its share. An episode that cannot be read is for `kbench db
// check`.
Status add_episodes(ReportData& data, const Store& store) {
  std::vector<std::string> runs = {data.run.id};
  if (data.group) {
    runs.clear();
    for (const Run& shard : data.group->shards) runs.push_back(shard.id);
  }
  std::vector<Episode> episodes;
  for (const std::string& run : runs) {
    auto listed = store.episodes(run);
    if (!listed) return listed.error();
    for (auto one = listed->rbegin(); one != listed->rend(); ++one)
      if (auto episode = store.read_episode(one->head.id)) episodes.push_back(std::move(*episode));
  }
  std::erase_if(episodes, [&](const Episode& one) { return !shows_task(data, one.task); });
  for (Episode& episode : episodes) {
    auto contents = load_story_texts(store, episode, kMostShownTexts / episodes.size());
    if (!contents) return contents.error();
    data.episodes.push_back({std::move(episode), std::move(*contents)});
  }
  return Done{};
}

}  // namespace

bool writes_page(const std::vector<OutputRequest>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const OutputRequest& output) { return output.reporter->name == "html"; });
}

Status add_page_extras(ReportData& data, const Store& store, const std::filesystem::path& suite) {
  add_families(data, suite);
  auto trend = load_trend(store, data);
  if (!trend) return trend.error();
  data.trend = std::move(*trend);
  if (auto added = add_episodes(data, store); !added) return added;
  return add_sources(data, store);
}

}  // namespace kbench
