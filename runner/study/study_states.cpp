#include "runner/study/study_states.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "runner/agent/refine.hpp"
#include "runner/core/bounded_json.hpp"

namespace kbench {
namespace {

constexpr std::size_t kShownOfAVariant = 16;
constexpr std::size_t kMostStateBytes = 8u << 20;
constexpr const char* kManifest = "submission.json";
constexpr std::string_view kKernels = "kernels/";
constexpr std::string_view kStaged = "src/";

bool is_native(const std::string& path) { return path.ends_with(".cu") || path.ends_with(".cpp"); }

// A manifest that says no more than what is assumed without one would make another tree of the
// same kernel.
void drop_plain_manifest(std::map<std::string, std::string>& files) {
  const auto manifest = files.find(kManifest);
  if (manifest == files.end()) return;
  const auto json = parse_bounded_json(manifest->second);
  if (!json || !json->is_object() || json->size() != 2 || !json->contains("schema")) return;
  Json sources = Json::array();
  for (const auto& [path, text] : files)
    if (is_native(path)) sources.push_back(path);
  if (!sources.empty() && json->value("sources", Json()) == sources) files.erase(manifest);
}

Error missing_text(const std::string& node) {
  return {ErrorCode::kBadInput,
          fmt::format("a text of node {} is missing", node.substr(0, kShownOfAVariant)),
          "`kbench db check` says what is damaged."};
}

}  // namespace

std::string variant_of(const KernelTree& tree) { return tree.hash.substr(0, kShownOfAVariant); }

Result<KernelTree> tree_in_reply(const std::string& content, const std::string& device) {
  std::map<std::string, std::string> files;
  for (auto& [path, text] :
       refined_files(content, device == "cuda" ? "kernels/main.cu" : "kernels/main.cpp"))
    files.emplace(path.substr(kKernels.size()), std::move(text));
  if (files.empty()) return KernelTree{};
  drop_plain_manifest(files);
  return kernel_tree_of(files);
}

Result<KernelTree> tree_of_state(const FrozenState& state, const Contents& contents) {
  std::map<std::string, std::string> files;
  for (const TreeFile& file : state.files) {
    const auto text = contents.find(file.hash);
    if (text == contents.end()) return missing_text(state.task);
    const bool staged = file.path.starts_with(kStaged);
    files.emplace(staged ? file.path.substr(kStaged.size()) : file.path, text->second);
  }
  drop_plain_manifest(files);
  return kernel_tree_of(files);
}

Result<StudyState> read_study_state(const Store& store, const PlannedState& planned) {
  auto node = store.read_node(planned.node);
  if (!node) return node.error();
  StudyState state;
  state.planned = &planned;
  std::vector<std::string> hashes = {node->state.context};
  for (const TreeFile& file : node->state.files) hashes.push_back(file.hash);
  const auto contents = store.contents(hashes, kMostStateBytes);
  if (!contents) return contents.error();
  const auto text = contents->find(node->state.context);
  if (text == contents->end()) return missing_text(planned.node);
  auto context = read_state_context(text->second);
  if (!context) return context.error();
  state.context = std::move(*context);
  for (const TreeFile& file : node->state.files)
    if (const auto found = contents->find(file.hash); found != contents->end())
      state.kernel += found->second;
  auto tree = tree_of_state(node->state, *contents);
  state.node = std::move(*node);
  if (!tree && tree.error().code != ErrorCode::kSubmission) return tree.error();
  if (tree) state.tree = std::move(*tree);
  if (!tree) state.dropped = "its kernel is none that can be judged: " + tree.error().message;
  return state;
}

Result<Trajectories> with_ancestors(const Store& store, const std::vector<std::string>& nodes) {
  std::map<std::string, StoredNode> found;
  std::vector<std::string> open = nodes;
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    if (found.contains(id)) continue;
    auto node = store.read_node(id);
    if (!node) return node.error();
    open.insert(open.end(), node->node.parents.begin(), node->node.parents.end());
    found.emplace(id, std::move(*node));
  }
  Trajectories all;
  std::set<std::string> placed;
  // Parents first; there is no cycle, since a node's id is made of those of its parents.
  while (placed.size() < found.size()) {
    const std::size_t before = placed.size();
    for (const auto& [id, one] : found) {
      const bool ready = std::all_of(one.node.parents.begin(), one.node.parents.end(),
                                     [&](const auto& parent) { return placed.contains(parent); });
      if (!ready || !placed.insert(id).second) continue;
      all.states.push_back(one.state);
      all.nodes.push_back(one.node);
    }
    if (placed.size() == before)
      return Error{ErrorCode::kBadInput, "a node of the study is among its own ancestors", ""};
  }
  return all;
}

Json state_json(const StudyState& state, const Evaluation& row) {
  Json files = Json::object();
  for (const SourceFile& file : state.tree.files) files[file.name] = file.bytes;
  return {{"schema", "kbench-state/1"},        {"task", state.node.state.task},
          {"size", state.node.state.size},     {"device", state.node.state.device},
          {"stratum", state.planned->stratum}, {"files", std::move(files)},
          {"state", to_string(row.state)},     {"message", row.message}};
}

}  // namespace kbench
