#include "runner/episode/kept_states.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/agent/refine.hpp"
#include "runner/core/random_id.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/store/run_name.hpp"
#include "runner/trajectory/freeze_episode.hpp"
#include "runner/trajectory/node_lines.hpp"
#include "runner/trajectory/openevolve.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostImportedFiles = 200'000;
constexpr std::size_t kMostEpisodeBytes = 256u << 20;  // texts of one episode

struct ForeignText {
  std::string name;
  std::string text;
  bool is_lines = false;
};

bool is_trace(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".jsonl") && name.find("trace") != name.npos &&
         !name.ends_with("_failures.jsonl");
}

bool is_wanted(const fs::path& file, bool of_openevolve) {
  if (!of_openevolve) return file.extension() == ".jsonl";
  return is_trace(file) ||
         (file.extension() == ".json" && file.parent_path().filename() == "programs");
}

// Files of a folder in the order of their names; links are left aside.
Result<std::vector<fs::path>> files_below(const fs::path& folder, bool of_openevolve) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (!fs::is_regular_file(at->symlink_status(ignored)) || !is_wanted(at->path(), of_openevolve))
      continue;
    files.push_back(at->path());
    if (files.size() > kMostImportedFiles)
      return Error{ErrorCode::kUsage,
                   fmt::format("{}: more than {} files", folder.string(), kMostImportedFiles),
                   "Name a folder that has those of one evolution."};
  }
  if (failed)
    return Error{ErrorCode::kUsage, fmt::format("{}: {}", folder.string(), failed.message()),
                 "check that you may read it"};
  if (files.empty())
    return Error{ErrorCode::kUsage, fmt::format("{}: nothing to import in it", folder.string()),
                 of_openevolve ? "Wanted are checkpoints (programs/ID.json) and *trace*.jsonl."
                               : "Wanted are files *.jsonl."};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<ForeignText>> read_paths(const StateImport& request) {
  const bool of_openevolve = request.kind == "openevolve";
  std::vector<fs::path> files;
  for (const fs::path& path : request.paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    auto below = files_below(path, of_openevolve);
    if (!below) return below.error();
    files.insert(files.end(), below->begin(), below->end());
  }
  std::vector<ForeignText> texts;
  std::size_t bytes = 0;
  for (const fs::path& file : files) {
    auto text = read_foreign_file(file, kMostImportedBytes - bytes);
    if (!text) return Error{ErrorCode::kUsage, text.error().message, text.error().hint};
    bytes += text->size();
    texts.push_back({file.string(), std::move(*text), file.extension() == ".jsonl"});
  }
  return texts;
}

Result<std::vector<std::string>> episodes_to_freeze(const Store& store,
                                                    const EpisodesToFreeze& request) {
  if (!request.episodes.empty()) return request.episodes;
  std::optional<std::string> run_id;
  if (request.run) {
    const auto run = find_run_named(store, *request.run);
    if (!run) return run.error();
    run_id = run->id;
  }
  const auto episodes = store.episodes(run_id);
  if (!episodes) return episodes.error();
  std::vector<std::string> ids;
  for (const EpisodeSummary& one : *episodes) ids.push_back(one.head.id);
  return ids;
}

// Rows of runs by their keys, each run read once.
class RowsByKey {
 public:
  explicit RowsByKey(const Store& store) : store_(store) {}
  Result<const std::map<std::string, Evaluation>*> of(const std::string& run_id) {
    const auto [run, is_new] = rows_.try_emplace(run_id);
    if (is_new) {
      auto rows = store_.evaluations(run_id);
      if (!rows) return rows.error();
      for (Evaluation& row : *rows) run->second.emplace(row.key, std::move(row));
    }
    return &run->second;
  }

 private:
  const Store& store_;
  std::map<std::string, std::map<std::string, Evaluation>> rows_;
};

Result<FrozenTexts> freeze_one(const Store& store, const std::string& id, RowsByKey& rows) {
  const auto episode = store.read_episode(id);
  if (!episode) return episode.error();
  const auto of_run = rows.of(episode->run_id);
  if (!of_run) return of_run.error();
  std::set<std::string> texts = texts_of(*episode);
  for (const Turn& turn : episode->turns)
    for (const ToolCall& call : turn.calls)
      if (const auto row = (*of_run)->find(call.evaluation); row != (*of_run)->end())
        for (const TreeFile& file : row->second.sources) texts.insert(file.hash);
  const std::vector<std::string> hashes(texts.begin(), texts.end());
  const auto contents = store.contents(hashes, kMostEpisodeBytes);
  if (!contents) return contents.error();
  return freeze_episode({*episode, *contents, **of_run, refine_feedback});
}

void append(FrozenTexts& all, FrozenTexts one, std::set<std::string>& states) {
  for (FrozenState& state : one.trajectories.states)
    if (states.insert(state_id(state)).second) all.trajectories.states.push_back(std::move(state));
  auto& nodes = one.trajectories.nodes;
  all.trajectories.nodes.insert(all.trajectories.nodes.end(), nodes.begin(), nodes.end());
  all.texts.insert(all.texts.end(), one.texts.begin(), one.texts.end());
  all.left_out.insert(all.left_out.end(), one.left_out.begin(), one.left_out.end());
  all.leaks += one.leaks;
  all.fresh += one.fresh;
}

}  // namespace

Result<FrozenTexts> import_states(const StateImport& request, const Installation& installation) {
  const auto prompt = prompt_of_task(request.suite, {}, request.task,
                                     {request.size, request.device, {}}, installation);
  if (!prompt) return prompt.error();
  const ImportSetting setting = {.task = prompt->task.id,
                                 .task_hash = prompt->task.hash,
                                 .size = prompt->size,
                                 .device = prompt->device,
                                 .prompt = prompt->text,
                                 .trajectory = request.trajectory};
  if (!setting.trajectory.empty() && !is_foreign_name(setting.trajectory))
    return Error{ErrorCode::kUsage,
                 fmt::format("--trajectory \"{}\" is no name", clean_name(setting.trajectory, 64)),
                 "a name is one line of 1 to 200 bytes, such as evolution-3"};
  const auto texts = read_paths(request);
  if (!texts) return texts.error();
  OpenEvolveFiles evolution;
  NodeLines lines;
  for (const ForeignText& one : *texts) {
    const Status taken = request.kind == "jsonl" ? lines.add(one.text, one.name)
                         : one.is_lines          ? evolution.add_trace(one.text, one.name)
                                                 : evolution.add_program(one.text, one.name);
    if (!taken) return taken.error();
  }
  return request.kind == "jsonl" ? lines.nodes(setting) : evolution.nodes(setting);
}

Result<FrozenTexts> freeze_episodes(const Store& store, const EpisodesToFreeze& request) {
  const auto ids = episodes_to_freeze(store, request);
  if (!ids) return ids.error();
  RowsByKey rows(store);
  FrozenTexts all;
  std::set<std::string> states;
  for (const std::string& id : *ids) {
    auto one = freeze_one(store, id, rows);
    if (!one) return one.error();
    append(all, std::move(*one), states);
  }
  return all;
}

Result<std::string> keep_states(Store& store, const FrozenTexts& frozen,
                                const std::string& command_line) {
  const Run run = {.id = random_id(),
                   .started_at = utc_now(),
                   .finished_at = {},
                   .command_line = command_line,
                   .configuration = std::string(kStatesOnly),
                   .environment = "{}"};
  std::vector<Blob> blobs;
  for (const std::string& text : frozen.texts) blobs.push_back(pack(text));
  if (auto begun = store.begin_run(run); !begun) return begun.error();
  if (auto added = store.add_trajectories(run.id, frozen.trajectories, blobs); !added)
    return added.error();
  if (auto ended = store.finish_run(run.id, utc_now()); !ended) return ended.error();
  return run.id;
}

std::string words(const FrozenTexts& frozen) {
  const auto counted = [](std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = fmt::format("{} of {}, {} with a fresh context",
                                 counted(frozen.trajectories.nodes.size(), "node"),
                                 counted(frozen.trajectories.states.size(), "state"), frozen.fresh);
  if (frozen.leaks > 0)
    text += fmt::format("; {} {} what a report would tell, and {} left out of studies",
                        counted(frozen.leaks, "node"), frozen.leaks == 1 ? "tells" : "tell",
                        frozen.leaks == 1 ? "is" : "are");
  return text;
}

}  // namespace kbench
