#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "reports/sanitize.hpp"
#include "runner/agent/refine.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/core/random_id.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/os/files.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"
#include "runner/trajectory/freeze_episode.hpp"
#include "runner/trajectory/node_lines.hpp"
#include "runner/trajectory/openevolve.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownOfAHash = 12;
constexpr std::size_t kMostImportedFiles = 200'000;
constexpr std::size_t kMostEpisodeBytes = 256u << 20;  // of the texts of one
constexpr int kTrajectoryJsonVersion = 1;

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Result<Store> open_for_writing(const TrajectoryOptions& options, const Installation& installation) {
  auto store = Store::open(options.database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  return store;
}

// --- what is new ---

// A run of its own holds them: they outlive what they were frozen from.
Result<std::string> store_states(Store& store, const FrozenTexts& frozen,
                                 const TrajectoryOptions& options) {
  const Run run = {.id = random_id(),
                   .started_at = utc_now(),
                   .finished_at = {},
                   .command_line = options.command_line,
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

Result<int> keep(Store& store, const FrozenTexts& frozen, const TrajectoryOptions& options) {
  for (const std::string& sentence : frozen.left_out)
    if (options.common.verbosity >= 0)
      fmt::print(stderr, "left out: {}\n", sanitize_line(sentence));
  if (frozen.trajectories.nodes.empty())
    return finish(ExitCode::kNothingSelected, "no state was found", options.common.verbosity);
  const auto run = store_states(store, frozen, options);
  if (!run) return run.error();
  const std::size_t fresh = frozen.fresh;
  std::string text = fmt::format("{} of {}, {} with a fresh context",
                                 plural(frozen.trajectories.nodes.size(), "node"),
                                 plural(frozen.trajectories.states.size(), "state"), fresh);
  if (frozen.leaks > 0)
    text += fmt::format("; {} {} what a report would tell, and {} left out of studies",
                        plural(frozen.leaks, "node"), frozen.leaks == 1 ? "tells" : "tell",
                        frozen.leaks == 1 ? "is" : "are");
  return finish(ExitCode::kGood, fmt::format("{}; run {} holds them", text, short_id(*run)),
                options.common.verbosity);
}

// --- import ---

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
    return Error{ErrorCode::kUsage, fmt::format("{}: {}", folder.string(), failed.message()), ""};
  if (files.empty())
    return Error{ErrorCode::kUsage, fmt::format("{}: nothing to import in it", folder.string()),
                 of_openevolve ? "Wanted are checkpoints (programs/ID.json) and *trace*.jsonl."
                               : "Wanted are files *.jsonl."};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<ForeignText>> read_paths(const TrajectoryOptions& options) {
  const bool of_openevolve = options.kind == "openevolve";
  std::vector<fs::path> files;
  for (const fs::path& path : options.paths) {
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

Result<FrozenTexts> import_texts(const TrajectoryOptions& options,
                                 const Installation& installation) {
  const auto prompt = prompt_of_task(options.common.suite, {}, options.task,
                                     {options.size, options.device, {}}, installation);
  if (!prompt) return prompt.error();
  const ImportSetting setting = {.task = prompt->task.id,
                                 .task_hash = prompt->task.hash,
                                 .size = prompt->size,
                                 .device = prompt->device,
                                 .prompt = prompt->text,
                                 .trajectory = options.trajectory};
  if (!setting.trajectory.empty() && !is_foreign_name(setting.trajectory))
    return Error{ErrorCode::kUsage, "--trajectory is no name of 1 to 200 bytes in one line", ""};
  const auto texts = read_paths(options);
  if (!texts) return texts.error();
  OpenEvolveFiles evolution;
  NodeLines lines;
  for (const ForeignText& one : *texts) {
    const Status taken = options.kind == "jsonl" ? lines.add(one.text, one.name)
                         : one.is_lines          ? evolution.add_trace(one.text, one.name)
                                                 : evolution.add_program(one.text, one.name);
    if (!taken) return taken.error();
  }
  return options.kind == "jsonl" ? lines.nodes(setting) : evolution.nodes(setting);
}

Result<int> import_states(const TrajectoryOptions& options, const Installation& installation) {
  const auto found = import_texts(options, installation);
  if (!found) return found.error();
  auto store = open_for_writing(options, installation);
  if (!store) return store.error();
  return keep(*store, *found, options);
}

// --- freeze ---

Result<std::vector<std::string>> episodes_to_freeze(const Store& store,
                                                    const TrajectoryOptions& options) {
  if (!options.episodes.empty()) return options.episodes;
  std::optional<std::string> run_id;
  if (options.run) {
    const auto run = find_run_named(store, *options.run);
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

Result<int> freeze(const TrajectoryOptions& options, const Installation& installation) {
  auto store = open_for_writing(options, installation);
  if (!store) return store.error();
  const auto ids = episodes_to_freeze(*store, options);
  if (!ids) return ids.error();
  RowsByKey rows(*store);
  FrozenTexts all;
  std::set<std::string> states;
  for (const std::string& id : *ids) {
    auto one = freeze_one(*store, id, rows);
    if (!one) return one.error();
    for (FrozenState& state : one->trajectories.states)
      if (states.insert(state_id(state)).second)
        all.trajectories.states.push_back(std::move(state));
    auto& nodes = one->trajectories.nodes;
    all.trajectories.nodes.insert(all.trajectories.nodes.end(), nodes.begin(), nodes.end());
    all.texts.insert(all.texts.end(), one->texts.begin(), one->texts.end());
    all.left_out.insert(all.left_out.end(), one->left_out.begin(), one->left_out.end());
    all.leaks += one->leaks;
    all.fresh += one->fresh;
  }
  return keep(*store, all, options);
}

// --- list and show ---

Json node_json(const StoredNode& stored) {
  const auto outcome = parse_bounded_json(stored.node.outcome);
  return {{"node", stored.id},
          {"state", stored.node.state},
          {"parents", stored.node.parents},
          {"trajectory", stored.node.trajectory},
          {"generation", stored.node.generation},
          {"origin", stored.node.origin},
          {"outcome", outcome ? *outcome : Json()},
          {"leaks", leaks_of(stored.node)},
          {"task", stored.state.task},
          {"task_hash", stored.state.task_hash},
          {"size", stored.state.size},
          {"device", stored.state.device}};
}

std::string node_table(const std::vector<StoredNode>& nodes, const TableStyle& style) {
  Column id{.heading = "Node"};
  Column task{.heading = "Task", .kind = Column::Kind::kName};
  Column generation{.heading = "Generation", .kind = Column::Kind::kNumber};
  Column stratum{.heading = "Stratum"};
  Column leaks{.heading = "Leaks", .kind = Column::Kind::kNumber};
  Column origin{.heading = "Origin", .importance = 1};
  Column trajectory{.heading = "Trajectory", .kind = Column::Kind::kName, .importance = 2};
  for (const StoredNode& one : nodes) {
    const std::string kind = stratum_of(one.node);
    const auto found = leaks_of(one.node);
    id.cells.push_back({one.id.substr(0, kShownOfAHash), {}});
    task.cells.push_back({sanitize_line(one.state.task), {}});
    generation.cells.push_back({fmt::format("{}", one.node.generation), {}});
    stratum.cells.push_back({kind.empty() ? "unknown" : sanitize_line(kind), {}});
    leaks.cells.push_back(
        {fmt::format("{}", found), found > 0 ? std::optional(Tone::kBad) : std::nullopt});
    origin.cells.push_back({sanitize_line(one.node.origin), {}});
    trajectory.cells.push_back({sanitize_line(one.node.trajectory), {}});
  }
  return render_table({std::move(id), std::move(task), std::move(generation), std::move(stratum),
                       std::move(leaks), std::move(origin), std::move(trajectory)},
                      style);
}

Result<int> list(const TrajectoryOptions& options) {
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  std::optional<std::string> run_id;
  if (options.run) {
    const auto run = find_run_named(*store, *options.run);
    if (!run) return run.error();
    run_id = run->id;
  }
  const auto nodes = store->nodes(run_id);
  if (!nodes) return nodes.error();
  if (nodes->empty())
    return finish(ExitCode::kNothingSelected, "no state is stored there", options.common.verbosity);
  if (options.format == OutputFormat::kJson) {
    Json all = Json::array();
    for (const StoredNode& one : *nodes) all.push_back(node_json(one));
    print_json({{"schema_version", kTrajectoryJsonVersion}, {"nodes", std::move(all)}});
  } else {
    fmt::print("{}", node_table(*nodes, output_style(options.common)));
  }
  std::set<std::string> states;
  for (const StoredNode& one : *nodes) states.insert(one.node.state);
  return finish(
      ExitCode::kGood,
      fmt::format("{} of {}", plural(nodes->size(), "node"), plural(states.size(), "state")),
      options.common.verbosity);
}

void print_node(const StoredNode& stored, const StateContext& context) {
  fmt::print("node {}, generation {} of {} ({})\nstate {}\n{}, {}, {}\noutcome {}\n", stored.id,
             stored.node.generation, sanitize_line(stored.node.trajectory),
             sanitize_line(stored.node.origin), stored.node.state, sanitize_line(stored.state.task),
             sanitize_line(stored.state.size), sanitize_line(stored.state.device),
             sanitize_line(stored.node.outcome));
  for (const std::string& parent : stored.node.parents) fmt::print("parent {}\n", parent);
  for (const TreeFile& file : stored.state.files)
    fmt::print("{}, {} bytes\n", sanitize_line(file.path), file.bytes);
  for (const ContextMessage& message : context) {
    fmt::print("\n--- {} ---\n{}\n", message.role, sanitize_text(message.content));
    if (message.after)
      fmt::print("--- feedback stands here ---\n{}\n", sanitize_text(*message.after));
  }
}

Result<int> show(const TrajectoryOptions& options) {
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto stored = store->read_node(options.node);
  if (!stored) return stored.error();
  const std::vector<std::string> hashes = {stored->state.context};
  const auto contents = store->contents(hashes, kMostContextBytes);
  if (!contents) return contents.error();
  const auto text = contents->find(stored->state.context);
  const auto context = read_state_context(text == contents->end() ? "" : text->second);
  if (!context) return context.error();
  if (options.format == OutputFormat::kJson) {
    Json json = node_json(*stored);
    json["schema_version"] = kTrajectoryJsonVersion;
    json["context"] = Json::parse(text->second);
    json["files"] = Json::array();
    for (const TreeFile& file : stored->state.files)
      json["files"].push_back({{"path", file.path}, {"hash", file.hash}, {"bytes", file.bytes}});
    print_json(json);
  } else {
    print_node(*stored, *context);
  }
  return finish(ExitCode::kGood, fmt::format("node {}", stored->id.substr(0, kShownOfAHash)),
                options.common.verbosity);
}

Result<int> obey(const TrajectoryRequest& request, const Installation& installation) {
  switch (request.what) {
    case TrajectoryRequest::What::kImport: return import_states(request.options, installation);
    case TrajectoryRequest::What::kFreeze: return freeze(request.options, installation);
    case TrajectoryRequest::What::kList: return list(request.options);
    case TrajectoryRequest::What::kShow: return show(request.options);
  }
  return Error{ErrorCode::kUsage, "no such request", ""};
}

}  // namespace

std::array<TrajectoryApps::Asked, 4> TrajectoryApps::requests() const {
  using What = TrajectoryRequest::What;
  return {
      {{import, What::kImport}, {freeze, What::kFreeze}, {list, What::kList}, {show, What::kShow}}};
}

TrajectoryApps add_trajectory(CLI::App& app, TrajectoryOptions& options) {
  auto* trajectory = app.add_subcommand("trajectory", "Keep states that agents were in");
  trajectory->require_subcommand(1);
  trajectory->footer(help_of("trajectory"));
  const TrajectoryApps apps = {
      trajectory->add_subcommand("import", "Take the states of another agent or evolution"),
      trajectory->add_subcommand("freeze", "Take the states of stored episodes"),
      trajectory->add_subcommand("list", "One line for each node"),
      trajectory->add_subcommand("show", "A node, and what is asked in its state"),
  };
  add_word(*apps.import, "KIND", options.kind, {"openevolve", "jsonl"}, "What left them")
      ->required();
  apps.import->add_option("PATH", options.paths, "Files, and folders to search")
      ->required()
      ->type_name("");
  apps.import->add_option("--task", options.task, "Task that the kernels are for")
      ->required()
      ->type_name("TASK");
  add_size(*apps.import, options.size);
  add_device(*apps.import, options.device);
  apps.import
      ->add_option("--trajectory", options.trajectory,
                   "Name of the trajectory (default: by what is imported)")
      ->type_name("NAME");
  apps.freeze->add_option("EPISODE", options.episodes, "Starts of ids (default: all)")
      ->type_name("");
  for (auto* one : {apps.freeze, apps.list})
    one->add_option("--run", options.run,
                    "Start of an id, a tag, latest or latest~N (default: all runs)")
        ->type_name("RUN");
  apps.show->add_option("NODE", options.node, "Start of its id")->required()->type_name("");
  for (auto* one : {apps.list, apps.show}) {
    add_json(*one, options.format);
    add_wide(*one, options.common);
  }
  for (const auto& [one, what] : apps.requests()) {
    one->footer(help_of("trajectory"));
    add_database(*one, options.database);
    add_common(*one, options.common, what == TrajectoryRequest::What::kImport);
  }
  return apps;
}

int call(const TrajectoryRequest& request, const Installation& installation) {
  const auto status = obey(request, installation);
  if (status) return *status;
  return fail(status.error(), inspect_terminal(STDERR_FILENO, request.options.common.color));
}

}  // namespace kbench
