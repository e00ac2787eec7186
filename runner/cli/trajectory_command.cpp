#include <unistd.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "reports/episodes/node_list.hpp"
#include "reports/facts/sanitize.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/episode/kept_states.hpp"
#include "runner/store/chained_store.hpp"
#include "runner/store/run_name.hpp"

namespace kbench {
namespace {

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Result<int> keep(const FrozenTexts& frozen, Store& store, const TrajectoryOptions& options) {
  for (const std::string& sentence : frozen.left_out)
    if (options.common.verbosity >= 0)
      fmt::print(stderr, "left out: {}\n", sanitize_line(sentence));
  if (frozen.trajectories.nodes.empty())
    return finish(ExitCode::kNothingSelected, "no state was found", options.common.verbosity);
  const auto run = keep_states(store, frozen, options.command_line);
  if (!run) return run.error();
  std::string text = fmt::format("{} of {}, {} with a fresh context",
                                 plural(frozen.trajectories.nodes.size(), "node"),
                                 plural(frozen.trajectories.states.size(), "state"), frozen.fresh);
  if (frozen.leaks > 0)
    text += fmt::format("; {} {} what a report would tell, and {} left out of studies",
                        plural(frozen.leaks, "node"), frozen.leaks == 1 ? "tells" : "tell",
                        frozen.leaks == 1 ? "is" : "are");
  return finish(ExitCode::kGood, fmt::format("{}; run {} holds them", text, short_id(*run)),
                options.common.verbosity);
}

Result<int> import(const TrajectoryOptions& options, const Installation& installation) {
  const auto found = import_states({.kind = options.kind,
                                    .paths = options.paths,
                                    .suite = options.common.suite,
                                    .task = options.task,
                                    .size = options.size,
                                    .device = options.device,
                                    .trajectory = options.trajectory},
                                   installation);
  if (!found) return found.error();
  auto store = open_with_key(options.database, Store::Mode::kReadWrite, installation.state);
  if (!store) return store.error();
  return keep(*found, *store, options);
}

Result<int> freeze(const TrajectoryOptions& options, const Installation& installation) {
  auto store = open_with_key(options.database, Store::Mode::kReadWrite, installation.state);
  if (!store) return store.error();
  const auto found = freeze_episodes(*store, {options.episodes, options.run});
  if (!found) return found.error();
  return keep(*found, *store, options);
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
  if (options.format == OutputFormat::kJson)
    print_json(nodes_json(*nodes));
  else
    fmt::print("{}", render_nodes(*nodes, output_style(options.common)));
  std::set<std::string> states;
  for (const StoredNode& one : *nodes) states.insert(one.node.state);
  return finish(
      ExitCode::kGood,
      fmt::format("{} of {}", plural(nodes->size(), "node"), plural(states.size(), "state")),
      options.common.verbosity);
}

Result<int> show(const TrajectoryOptions& options) {
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto node = load_node(*store, options.node);
  if (!node) return node.error();
  if (options.format == OutputFormat::kJson)
    print_json(node_in_full_json(*node));
  else
    fmt::print("{}", render_node(*node));
  return finish(ExitCode::kGood, fmt::format("node {}", short_node(node->stored.id)),
                options.common.verbosity);
}

Result<int> obey(const TrajectoryRequest& request, const Installation& installation) {
  switch (request.what) {
    case TrajectoryRequest::What::kImport: return import(request.options, installation);
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
  auto* trajectory =
      app.add_subcommand("trajectory", "Collect the states that agents passed through");
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
