#include "runner/trajectory/imported_nodes.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/source_tree.hpp"
#include "runner/trajectory/leak_check.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestForeignName = 200;
constexpr std::size_t kLongestPath = 200;

Error refused(const ImportedNode& node, const std::string& what, const std::string& hint) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", node.where, what), hint};
}

// "src/a.cu", "include/tile.hpp": letters, digits and _ . - between slashes, no part of dots alone.
bool is_kernel_path(std::string_view path) {
  if (path.size() > kLongestPath || !(path.starts_with("src/") || path.starts_with("include/")))
    return false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == '-';
    };
    if (part.empty() || part.starts_with('.') || !std::all_of(part.begin(), part.end(), plain))
      return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

Status check_kernel(const ImportedNode& node) {
  std::size_t bytes = 0;
  for (const auto& [path, text] : node.files) {
    if (!is_kernel_path(path))
      return refused(node, "a file of the kernel has a path that none may have",
                     "Paths begin with src/ or include/ and have letters, digits, _ . and - only.");
    bytes += text.size();
  }
  if (bytes > kMostImportedKernelBytes || node.files.size() > kMostImportedKernelFiles)
    return refused(node, fmt::format("the kernel has {} files, {} bytes", node.files.size(), bytes),
                   fmt::format("A kernel has {} files and {} bytes at most.",
                               kMostImportedKernelFiles, kMostImportedKernelBytes));
  return Done{};
}

class NodeMaker {
 public:
  NodeMaker(const std::map<std::string, ImportedNode>& nodes, const ImportSetting& setting,
            std::string origin)
      : nodes_(nodes), setting_(setting), origin_(std::move(origin)) {}

  Result<FrozenTexts> make() {
    if (nodes_.size() > kMostImportedNodes)
      return Error{
          ErrorCode::kBadInput,
          fmt::format("there are {} kernels, more than {}", nodes_.size(), kMostImportedNodes),
          "Import a part of them."};
    if (auto known = find_children(); !known) return known.error();
    while (!ready_.empty()) {
      const std::string key = std::move(ready_.front());
      ready_.pop_front();
      if (auto added = add(nodes_.at(key), key); !added) return added.error();
      for (const std::string& child : children_[key])
        if (--missing_[child] == 0) ready_.push_back(child);
    }
    for (const auto& [key, node] : nodes_)
      if (!ids_.contains(key))
        return refused(node, "it is among its own ancestors", "A trajectory has no cycle.");
    return std::move(found_);
  }

 private:
  Status find_children() {
    for (const auto& [key, node] : nodes_) {
      const std::set<std::string> parents(node.parents.begin(), node.parents.end());
      missing_[key] = parents.size();
      for (const std::string& parent : parents) {
        if (!nodes_.contains(parent))
          return refused(node, fmt::format("its parent \"{}\" is not there", parent.substr(0, 80)),
                         "Import all files of the trajectory together.");
        children_[parent].push_back(key);
      }
      if (parents.empty()) ready_.push_back(key);
    }
    return Done{};
  }

  Status add(const ImportedNode& node, const std::string& key) {
    if (auto fine = check_kernel(node); !fine) return fine;
    std::string kernel;
    FrozenState state = {.task = setting_.task,
                         .task_hash = setting_.task_hash,
                         .size = setting_.size,
                         .device = setting_.device,
                         .files = {},
                         .context = {}};
    for (const auto& [path, text] : node.files) {
      state.files.push_back({path, keep(text), static_cast<std::int64_t>(text.size())});
      kernel += text;
    }
    const StateContext context =
        node.context ? *node.context : fresh_context(setting_.prompt, kernel);
    const std::string text = state_context_text(context);
    if (text.size() > kMostContextBytes)
      return refused(node, "its prompt is too large",
                     fmt::format("A prompt has {} bytes at most.", kMostContextBytes));
    state.context = keep(text);
    if (!node.context) ++found_.fresh;
    Json outcome = node.outcome;
    const std::size_t leaks = count_leaks(node.reports, all_text(context), kernel, setting_.prompt);
    if (leaks > 0) outcome["leaks"] = leaks;
    if (leaks > 0) ++found_.leaks;
    add_node(node, key, std::move(state), outcome);
    return Done{};
  }

  void add_node(const ImportedNode& node, const std::string& key, FrozenState state,
                const Json& outcome) {
    TrajectoryNode made = {
        .state = state_id(state),
        .parents = {},
        .trajectory = node.trajectory,
        .generation = node.generation,
        .origin = origin_,
        .outcome = outcome.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace)};
    std::set<std::string> parents;
    for (const std::string& parent : node.parents) parents.insert(ids_.at(parent));
    made.parents.assign(parents.begin(), parents.end());
    const std::string id = node_id(made);
    ids_.emplace(key, id);
    if (states_.insert(made.state).second) found_.trajectories.states.push_back(std::move(state));
    if (known_.insert(id).second) found_.trajectories.nodes.push_back(std::move(made));
  }

  std::string keep(const std::string& text) {
    std::string hash = sha256(text);
    if (kept_.insert(hash).second) found_.texts.push_back(text);
    return hash;
  }

  const std::map<std::string, ImportedNode>& nodes_;
  const ImportSetting& setting_;
  std::string origin_;
  FrozenTexts found_;
  std::map<std::string, std::vector<std::string>> children_;
  std::map<std::string, std::size_t> missing_;  // parents that are not made yet
  std::deque<std::string> ready_;
  std::map<std::string, std::string> ids_;  // ids of nodes, by key
  std::set<std::string> states_;
  std::set<std::string> known_;
  std::set<std::string> kept_;
};

}  // namespace

Result<FrozenTexts> make_nodes(const std::map<std::string, ImportedNode>& nodes,
                               const ImportSetting& setting, const std::string& origin) {
  return NodeMaker(nodes, setting, origin).make();
}

bool is_foreign_name(std::string_view text) {
  const auto steers = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= kLongestForeignName &&
         std::none_of(text.begin(), text.end(), steers);
}

std::string kernel_file(const std::string& device) {
  return device == "cuda" ? "src/main.cu" : "src/main.cpp";
}

}  // namespace kbench
