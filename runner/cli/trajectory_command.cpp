#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "reports/episodes/node_list.hpp"
#include "reports/facts/sanitize.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/episode/kept_states.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Result<End> keep(const FrozenTexts& frozen, Store& store, const TrajectoryOptions& options) {
  for (const std::string& sentence : frozen.left_out)
    say(options.common, "left out: " + sanitize_line(sentence));
  if (frozen.trajectories.nodes.empty()) return Error{ErrorCode::kNotFound, "no state was found"};
  const auto run = keep_states(store, frozen, options.command_line);
  if (!run) return run.error();
  return good(fmt::format("{}; run {} holds them", words(frozen), short_id(*run)));
}

Result<End> import(const TrajectoryOptions& options, const Installation& installation) {
  StateImport request = options.imported;
  request.suite = options.common.suite;
  const auto found = import_states(request, installation);
  if (!found) return found.error();
  auto store = open_with_key(options.database, Store::Mode::kReadWrite, installation.state);
  if (!store) return store.error();
  return keep(*found, *store, options);
}

Result<End> freeze(const TrajectoryOptions& options, const Installation& installation) {
  auto store = open_with_key(options.database, Store::Mode::kReadWrite, installation.state);
  if (!store) return store.error();
  const auto found = freeze_episodes(*store, options.frozen);
  if (!found) return found.error();
  return keep(*found, *store, options);
}

Result<End> list(const TrajectoryOptions& options) {
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
    return Error{ErrorCode::kNotFound, "no state is stored there",
                 "`kbench trajectory freeze` and `kbench trajectory import` store some"};
  print_found(options, *nodes, nodes_json, render_nodes);
  std::set<std::string> states;
  for (const StoredNode& one : *nodes) states.insert(one.node.state);
  return good(
      fmt::format("{} of {}", counted(nodes->size(), "node"), counted(states.size(), "state")));
}

Result<End> show(const TrajectoryOptions& options) {
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto node = load_node(*store, options.node);
  if (!node) return node.error();
  if (options.format == OutputFormat::kJson)
    print_json(node_in_full_json(*node));
  else
    fmt::print("{}", render_node(*node));
  return good(fmt::format("node {}", short_node(node->stored.id)));
}

}  // namespace

CLI::App* add_trajectory(CLI::App& app, TrajectoryOptions& options) {
  using What = TrajectoryOptions::What;
  auto& trajectory = add_group(
      app, "trajectory", "Collect unfinished kernels of agents, as input for `kbench attribute`");
  auto& import = add_form(trajectory, "import", options.what, What::kImport,
                          "Take the states of another agent or evolution");
  auto& freeze = add_form(trajectory, "freeze", options.what, What::kFreeze,
                          "Take the states of stored episodes");
  auto& list = add_form(trajectory, "list", options.what, What::kList, "One line for each node");
  auto& show = add_form(trajectory, "show", options.what, What::kShow,
                        "A node, and what is asked in its state");
  add_word(import, "KIND", options.imported.kind, {"openevolve", "jsonl"}, "Form of the files")
      ->required();
  add_value(import, "PATH", options.imported.paths, "", "Files, and folders to search")->required();
  add_value(import, "--task", options.imported.task, "TASK", "Task that the kernels are for")
      ->required();
  add_size(import, options.imported.size);
  add_device(import, options.imported.device);
  add_value(import, "--trajectory", options.imported.trajectory, "NAME",
            "Name of the trajectory (default: by what is imported)");
  add_value(freeze, "EPISODE", options.frozen.episodes, "", "Starts of ids (default: all)");
  for (auto [one, name] : {std::pair{&freeze, &options.frozen.run}, std::pair{&list, &options.run}})
    add_value(*one, "--run", *name, "RUN",
              "Start of an id, a tag, latest or latest~N (default: all runs)");
  add_value(show, "NODE", options.node, "", "Start of its id")->required();
  for (auto* one : {&list, &show}) {
    add_json(*one, options.format);
    add_wide(*one, options.common);
  }
  for (auto* one : {&import, &freeze, &list, &show}) {
    add_database(*one, options.database);
    add_common(*one, options.common, one == &import);
  }
  return &trajectory;
}

Result<End> call(const TrajectoryOptions& options, const Installation& installation) {
  switch (options.what) {
    case TrajectoryOptions::What::kImport: return import(options, installation);
    case TrajectoryOptions::What::kFreeze: return freeze(options, installation);
    case TrajectoryOptions::What::kList: return list(options);
    case TrajectoryOptions::What::kShow: return show(options);
  }
  return End{};
}

}  // namespace kbench
