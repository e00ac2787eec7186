#include "runner/trajectory/openevolve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/lines.hpp"
#include "runner/core/lone_surrogates.hpp"
#include "runner/core/text_in.hpp"
#include "runner/trajectory/freeze_episode.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostMetrics = 64;
constexpr std::int64_t kMostGeneration = 1'000'000;
constexpr std::string_view kInformation = "# Current Program Information\n";
constexpr std::string_view kCoordinates = "- Feature coordinates: ";
constexpr std::string_view kHistory = "\n# Program Evolution History\n";
constexpr std::string_view kFullRewrite = "\nProvide the complete new program code.";

Error unreadable(const std::string& where, const std::string& what, const std::string& hint = "") {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", where, what), hint};
}

// Python writes numbers that JSON does not have. They become null, outside of texts.
std::string without_odd_numbers(std::string json) {
  bool in_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') in_text = !in_text;
    if (in_text && json[at] == '\\') ++at;
    if (in_text || (json[at] != 'N' && json[at] != 'I' && json[at] != '-')) continue;
    for (const std::string_view odd : {"NaN", "-Infinity", "Infinity"})
      if (json.compare(at, odd.size(), odd) == 0) json.replace(at, odd.size(), "null");
  }
  return json;
}

Result<Json> parse(std::string_view text, const std::string& where) {
  auto json = parse_bounded_json(without_odd_numbers(without_lone_surrogates(std::string(text))));
  if (!json) return unreadable(where, "no JSON: " + json.error().message);
  if (!json->is_object()) return unreadable(where, "no object");
  return json;
}

// Finite numbers by names that may be shown.
Json metrics_in(const Json& json, const char* member) {
  Json metrics = Json::object();
  const auto found = json.find(member);
  if (found == json.end() || !found->is_object()) return metrics;
  for (const auto& [name, value] : found->items())
    if (value.is_number() && std::isfinite(value.get<double>()) && is_foreign_name(name) &&
        metrics.size() < kMostMetrics)
      metrics[name] = value;
  return metrics;
}

std::int64_t generation_in(const Json& json) {
  const auto found = json.find("generation");
  if (found == json.end() || !found->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMostGeneration);
}

std::optional<std::string> id_in(const Json& json, const char* member) {
  const std::string id = text_in(json, member);
  return is_foreign_name(id) ? std::optional(id) : std::nullopt;
}

// The same whichever file is read first.
void take_metrics(Json& known, Json metrics) {
  if (metrics.empty()) return;
  if (known.is_null() || metrics.dump() < known.dump()) known = std::move(metrics);
}

// Part of the sentence on what was left out.
std::string shown(const std::string& id) { return id.substr(0, 40); }

}  // namespace

std::optional<StateContext> openevolve_context(const std::string& system, const std::string& user) {
  if (user.find(kFullRewrite) == user.npos) return std::nullopt;
  const std::size_t information = user.find(kInformation);
  if (information == user.npos || (information > 0 && user[information - 1] != '\n'))
    return std::nullopt;
  const std::size_t from = information + kInformation.size();
  const std::size_t history = user.find(kHistory, from);
  if (history == user.npos) return std::nullopt;
  std::string before = user.substr(0, from);
  for (const std::string_view line : lines_of(std::string_view(user).substr(from, history - from)))
    if (line.starts_with(kCoordinates)) {
      before += std::string(line) + "\n";
      break;
    }
  StateContext context;
  if (!system.empty()) context.push_back({"system", system, {}});
  context.push_back({"user", before + "\n", user.substr(history)});
  return context;
}

OpenEvolveFiles::Program& OpenEvolveFiles::program(const std::string& id,
                                                   const std::string& where) {
  Program& one = programs_[id];
  if (one.where.empty() || where < one.where) one.where = where;
  return one;
}

Status OpenEvolveFiles::take_code(Program& program, const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_string()) return Done{};
  auto code = found->get<std::string>();
  if (program.code && *program.code != code)
    return unreadable(program.where, "two files have different code for one program",
                      "They are of different evolutions: import each apart.");
  program.code = std::move(code);
  return Done{};
}

namespace {

void take_artifacts(const Json& artifacts, std::set<std::string>& texts, std::string& state) {
  if (!artifacts.is_object()) return;
  for (const auto& [name, value] : artifacts.items()) {
    if (!value.is_string()) continue;
    if (name == "state" && is_foreign_name(value.get_ref<const std::string&>()))
      state = std::max(state, value.get<std::string>());
    texts.insert(value.get<std::string>());
  }
}

void take_prompt(const Json& prompt, std::set<std::string>& prompts) {
  if (!prompt.is_object()) return;
  if (const auto context = openevolve_context(text_in(prompt, "system"), text_in(prompt, "user")))
    prompts.insert(state_context_text(*context));
}

}  // namespace

Status OpenEvolveFiles::add_program(std::string_view text, const std::string& name) {
  const auto json = parse(text, name);
  if (!json) return json.error();
  const auto id = id_in(*json, "id");
  if (!id || !json->contains("code")) return unreadable(name, "no program of OpenEvolve");
  if (programs_.size() >= kMostImportedNodes)
    return unreadable(name, "there are too many programs", "Import a part of them.");
  Program& one = program(*id, name);
  one.recorded = true;
  if (auto taken = take_code(one, *json, "code"); !taken) return taken;
  if (const auto parent = id_in(*json, "parent_id")) one.parent = *parent;
  one.generation = std::max(one.generation, generation_in(*json));
  const Json metadata = json->value("metadata", Json());
  if (metadata.is_object() && metadata.value("migrant", Json()) == true) one.migrant = true;
  take_metrics(one.metrics, metrics_in(*json, "metrics"));
  if (const auto artifacts = parse_bounded_json(text_in(*json, "artifacts_json")))
    take_artifacts(*artifacts, one.artifacts, one.state);
  const Json prompts = json->value("prompts", Json());
  if (prompts.is_object()) take_prompt(prompts.value("full_rewrite_user", Json()), one.prompts);
  return Done{};
}

Status OpenEvolveFiles::take_step(const Json& step, const std::string& where) {
  const auto child_id = id_in(step, "child_id");
  const auto parent_id = id_in(step, "parent_id");
  if (!child_id || !parent_id) return unreadable(where, "no step of an evolution");
  if (programs_.size() >= kMostImportedNodes)
    return unreadable(where, "there are too many programs", "Import a part of them.");
  Program& parent = program(*parent_id, where);
  if (auto taken = take_code(parent, step, "parent_code"); !taken) return taken;
  take_metrics(parent.metrics, metrics_in(step, "parent_metrics"));
  Program& child = program(*child_id, where);
  child.recorded = true;
  child.parent = *parent_id;
  child.generation = std::max(child.generation, generation_in(step));
  if (auto taken = take_code(child, step, "child_code"); !taken) return taken;
  take_metrics(child.metrics, metrics_in(step, "child_metrics"));
  take_artifacts(step.value("artifacts", Json()), child.artifacts, child.state);
  take_prompt(step.value("prompt", Json()), child.prompts);
  return Done{};
}

Status OpenEvolveFiles::add_trace(std::string_view text, const std::string& name) {
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const std::string where = fmt::format("{}:{}", name, number);
    const auto json = parse(line, where);
    if (!json) return json.error();
    if (auto taken = take_step(*json, where); !taken) return taken;
  }
  return Done{};
}

// Originals by the ids of their copies: migrants, and programs that are known as a parent alone and
// whose code is another one's.
std::map<std::string, std::string> OpenEvolveFiles::originals() const {
  std::map<std::string, std::string> by_code;  // ids of recorded programs that are no copies
  for (const auto& [id, one] : programs_)
    if (one.recorded && one.code && !one.migrant) by_code.try_emplace(*one.code, id);
  std::map<std::string, std::string> originals;
  for (const auto& [id, one] : programs_) {
    if (!one.code) continue;
    const auto parent = programs_.find(one.parent);
    if (one.migrant && parent != programs_.end() && parent->second.code == one.code)
      originals[id] = one.parent;
    else if (const auto same = by_code.find(*one.code);
             (!one.recorded || one.migrant) && same != by_code.end() && same->second != id)
      originals[id] = same->second;
  }
  return originals;
}

// Programs by what they become: nodes, copies of others, or nothing.
class OpenEvolveFiles::Reading {
 public:
  Reading(const OpenEvolveFiles& files, const ImportSetting& setting)
      : programs_(files.programs_), setting_(setting), copies_(files.originals()) {}

  Result<FrozenTexts> nodes() {
    for (const auto& [id, one] : programs_) {
      if (copies_.contains(id)) continue;
      if (is_complete(id))
        place(id, one);
      else
        lost_.push_back(id);
    }
    std::map<std::string, ImportedNode> nodes;
    for (const auto& [id, contexts] : asked_)
      if (auto added = add_nodes(id, contexts, nodes); !added) return added.error();
    auto found = make_nodes(nodes, setting_, "openevolve");
    if (found && !lost_.empty())
      found->left_out.push_back(
          fmt::format("{} program{} whose code, or an ancestor's, is in no file, {} first",
                      lost_.size(), lost_.size() == 1 ? "" : "s", shown(lost_.front())));
    return found;
  }

 private:
  // Each step leads to another program, and there are no more steps than copies.
  [[nodiscard]] std::string original(std::string id) const {
    for (std::size_t steps = 0; steps < copies_.size() && copies_.contains(id); ++steps)
      id = copies_.at(id);
    return id;
  }

  // Whether its code and that of all its ancestors is known. Each program is looked at once; a
  // cycle is told later.
  bool is_complete(const std::string& id) {
    std::vector<std::string> path;
    bool complete = true;
    for (std::string at = id;; at = original(programs_.at(at).parent)) {
      if (const auto known = complete_.find(at); known != complete_.end()) {
        complete = known->second;
        break;
      }
      const auto one = programs_.find(at);
      complete = one != programs_.end() && one->second.code.has_value();
      if (!complete) break;
      complete_[at] = true;  // an ancestor may say otherwise
      path.push_back(at);
      if (one->second.parent.empty()) break;
    }
    for (const std::string& one : path) complete_[one] = complete;
    return complete;
  }

  void place(const std::string& id, const Program& one) {
    asked_.try_emplace(id);
    if (one.parent.empty()) {
      if (root_.empty()) root_ = id;  // ids come by their order
      return;
    }
    const std::string context = one.prompts.empty() ? "" : *one.prompts.begin();
    asked_[original(one.parent)].insert(context);
    parents_[id] = key(original(one.parent), context);
  }

  [[nodiscard]] ImportedNode node_of(const std::string& id, const Program& one) const {
    ImportedNode node;
    node.where = one.where;
    node.trajectory = setting_.trajectory.empty() ? root_ : setting_.trajectory;
    node.generation = one.generation;
    node.files = {{kernel_file(setting_.device), *one.code}};
    node.reports.assign(one.artifacts.begin(), one.artifacts.end());
    node.outcome = {{"program", id},
                    {"metrics", one.metrics.is_null() ? Json::object() : one.metrics}};
    if (!one.state.empty()) node.outcome["state"] = one.state;
    if (const auto state = state_from_string(one.state))
      node.outcome["stratum"] =
          stratum_of(Evaluation{.state = *state, .correct = *state == State::kOk});
    if (const auto parent = parents_.find(id); parent != parents_.end())
      node.parents = {parent->second};
    return node;
  }

  // Adds a node for each of these contexts; without any, and for the empty one, a fresh one.
  Status add_nodes(const std::string& id, const std::set<std::string>& contexts,
                   std::map<std::string, ImportedNode>& nodes) const {
    const ImportedNode node = node_of(id, programs_.at(id));
    if (contexts.empty()) nodes.emplace(key(id, ""), node);
    for (const std::string& context : contexts) {
      ImportedNode& one = nodes.emplace(key(id, context), node).first->second;
      if (context.empty()) continue;
      auto read = read_state_context(context);
      if (!read) return unreadable(node.where, read.error().message);
      one.context = std::move(*read);
    }
    return Done{};
  }

  static std::string key(const std::string& id, const std::string& context) {
    return id + '\n' + context;
  }

  const std::map<std::string, Program>& programs_;
  const ImportSetting& setting_;
  std::map<std::string, std::string> copies_;           // ids of originals
  std::map<std::string, bool> complete_;                // key: the id
  std::map<std::string, std::set<std::string>> asked_;  // contexts, by id
  std::map<std::string, std::string> parents_;          // keys of nodes, by the child's id
  std::string root_;                                    // the first by its id
  std::vector<std::string> lost_;
};

Result<FrozenTexts> OpenEvolveFiles::nodes(const ImportSetting& setting) const {
  return Reading(*this, setting).nodes();
}

}  // namespace kbench
