#include "reports/episodes/node_list.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

constexpr int kTrajectoryJsonVersion = 1;

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

}  // namespace

std::string short_node(std::string_view id) {
  constexpr std::size_t kShownOfAHash = 12;
  return std::string(id.substr(0, kShownOfAHash));
}

std::string render_nodes(const std::vector<StoredNode>& nodes, const TableStyle& style) {
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
    id.cells.push_back({short_node(one.id), {}});
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

Json nodes_json(const std::vector<StoredNode>& nodes) {
  Json all = Json::array();
  for (const StoredNode& one : nodes) all.push_back(node_json(one));
  return {{"schema_version", kTrajectoryJsonVersion}, {"nodes", std::move(all)}};
}

Result<NodeInFull> load_node(const Store& store, const std::string& id) {
  auto stored = store.read_node(id);
  if (!stored) return stored.error();
  const std::vector<std::string> hashes = {stored->state.context};
  const auto contents = store.contents(hashes, kMostContextBytes);
  if (!contents) return contents.error();
  const auto text = contents->find(stored->state.context);
  auto context = read_state_context(text == contents->end() ? "" : text->second);
  if (!context) return context.error();
  return NodeInFull{std::move(*stored), std::move(*context), Json::parse(text->second)};
}

std::string render_node(const NodeInFull& node) {
  const StoredNode& stored = node.stored;
  std::string text =
      fmt::format("node {}, generation {} of {} ({})\nstate {}\n{}, {}, {}\noutcome {}\n",
                  stored.id, stored.node.generation, sanitize_line(stored.node.trajectory),
                  sanitize_line(stored.node.origin), stored.node.state,
                  sanitize_line(stored.state.task), sanitize_line(stored.state.size),
                  sanitize_line(stored.state.device), sanitize_line(stored.node.outcome));
  for (const std::string& parent : stored.node.parents) text += fmt::format("parent {}\n", parent);
  for (const TreeFile& file : stored.state.files)
    text += fmt::format("{}, {} bytes\n", sanitize_line(file.path), file.bytes);
  for (const ContextMessage& message : node.context) {
    text += fmt::format("\n--- {} ---\n{}\n", message.role, sanitize_text(message.content));
    if (message.after)
      text += fmt::format("--- feedback stands here ---\n{}\n", sanitize_text(*message.after));
  }
  return text;
}

Json node_in_full_json(const NodeInFull& node) {
  Json json = node_json(node.stored);
  json["schema_version"] = kTrajectoryJsonVersion;
  json["context"] = node.context_json;
  json["files"] = Json::array();
  for (const TreeFile& file : node.stored.state.files)
    json["files"].push_back({{"path", file.path}, {"hash", file.hash}, {"bytes", file.bytes}});
  return json;
}

}  // namespace kbench
