#include "runner/study/stored_study.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/study/cell_lines.hpp"
#include "runner/study/study_states.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostKernelTexts = 512u << 20;

struct FoundStudy {
  std::string run_id;
  Trajectories held;  // nodes and studies of that run
  std::size_t at = 0;
};

Result<FoundStudy> find_study(const Store& store, const std::string& id) {
  const auto runs = store.runs();
  if (!runs) return runs.error();
  std::optional<FoundStudy> found;
  for (const Run& run : *runs) {
    auto held = store.trajectories(run.id);
    if (!held) return held.error();
    for (std::size_t at = 0; at < held->studies.size(); ++at) {
      if (!held->studies[at].id.starts_with(id)) continue;
      if (found)
        return Error{ErrorCode::kUsage,
                     fmt::format("\"{}\" begins several studies", clean_name(id, 80)),
                     "Type more of it."};
      found = FoundStudy{run.id, *held, at};
    }
    if (found && id.empty()) break;  // the newest
  }
  if (found) return std::move(*found);
  return Error{ErrorCode::kNotFound, "no such study is stored there",
               "`kbench attribute plan` and `run` make one"};
}

// Contexts are not needed; kernels tell which row is a state's own.
Result<std::map<std::string, StoredNode>> nodes_of(const FoundStudy& found) {
  std::map<std::string, FrozenState> states;
  for (const FrozenState& state : found.held.states) states.emplace(state_id(state), state);
  std::map<std::string, StoredNode> nodes;
  for (const TrajectoryNode& node : found.held.nodes) {
    const auto state = states.find(node.state);
    if (state == states.end())
      return Error{ErrorCode::kBadInput, "a node of the study has no state",
                   "`kbench db check` says what is damaged."};
    const std::string id = node_id(node);
    nodes.emplace(id, StoredNode{id, node, state->second});
  }
  return nodes;
}

Result<Contents> kernels_of(const Store& store, const FoundStudy& found, const std::string& plan) {
  std::vector<std::string> hashes = {plan};
  for (const FrozenState& state : found.held.states)
    for (const TreeFile& file : state.files) hashes.push_back(file.hash);
  return store.contents(hashes, kMostKernelTexts);
}

// Keys of the rows of the states' own kernels, by node.
std::map<std::string, std::string> state_rows(
    const StudyPlan& plan, const std::map<std::string, StoredNode>& nodes, const Contents& kernels,
    const std::map<std::pair<std::string, std::string>, std::string>& keys) {
  std::map<std::string, std::string> rows;
  for (const PlannedState& planned : plan.states) {
    const auto node = nodes.find(planned.node);
    if (node == nodes.end()) continue;
    const auto tree = tree_of_state(node->second.state, kernels);
    if (!tree) continue;
    const auto key = keys.find({node->second.state.task, variant_of(*tree)});
    if (key != keys.end()) rows.emplace(planned.node, key->second);
  }
  return rows;
}

}  // namespace

Result<StoredStudy> read_stored_study(const Store& store, const std::string& id) {
  const auto found = find_study(store, id);
  if (!found) return found.error();
  const StateStudy& study = found->held.studies[found->at];
  const auto nodes = nodes_of(*found);
  if (!nodes) return nodes.error();
  const auto kernels = kernels_of(store, *found, study.id);
  if (!kernels) return kernels.error();
  const auto text = kernels->find(study.id);
  auto plan = read_study_plan(text == kernels->end() ? "" : text->second);
  if (!plan) return plan.error();
  auto evaluations = store.evaluations(found->run_id);
  if (!evaluations) return evaluations.error();
  std::map<std::string, Evaluation> rows;
  std::map<std::pair<std::string, std::string>, std::string> keys;
  for (Evaluation& row : *evaluations) {
    if (row.submission) keys.emplace(std::pair(row.task, row.submission->variant), row.key);
    rows.emplace(row.key, std::move(row));
  }
  const auto before = state_rows(*plan, *nodes, *kernels, keys);
  auto lines = cell_lines({*plan, study.cells, *nodes, rows, before});
  if (!lines) return lines.error();
  StoredStudy stored{.id = study.id,
                     .run_id = found->run_id,
                     .plan = std::move(*plan),
                     .lines = std::move(lines->text),
                     .cells = lines->cells,
                     .planned = 0,
                     .alarms = {}};
  for (const PlannedState& state : stored.plan.states)
    stored.planned +=
        cells_of(stored.plan, state, 0).size() * static_cast<std::size_t>(stored.plan.replicates);
  if (stored.cells < stored.planned)
    stored.alarms.push_back(fmt::format("the study is not complete: {} of its {} cells are there",
                                        stored.cells, stored.planned));
  return stored;
}

}  // namespace kbench
