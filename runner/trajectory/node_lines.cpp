#include "runner/trajectory/node_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/lines.hpp"
#include "runner/core/suggest.hpp"
#include "runner/core/text_in.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostParents = 32;
constexpr std::size_t kMostReports = 64;
constexpr std::size_t kMostOutcomeMembers = 32;
constexpr std::int64_t kMostLineGeneration = 1'000'000;

const std::vector<std::string>& members() {
  static const std::vector<std::string> kMembers = {"id",         "parents", "trajectory",
                                                    "generation", "code",    "files",
                                                    "messages",   "reports", "outcome"};
  return kMembers;
}

Error wrong(const std::string& where, const std::string& what, const std::string& hint) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", where, what), hint};
}

constexpr const char* kHint = "One object a line, as data/schema/node.schema.json describes it.";

Status check_members(const Json& json, const std::string& where) {
  for (const auto& [name, value] : json.items()) {
    if (std::find(members().begin(), members().end(), name) != members().end()) continue;
    const auto guess = nearest(name, members());
    return wrong(where, fmt::format("\"{}\" is no member of a node", name.substr(0, 64)),
                 guess ? fmt::format("did you mean \"{}\"?", *guess)
                       : fmt::format("members are {}", fmt::join(members(), ", ")));
  }
  return Done{};
}

Result<std::vector<std::string>> texts_in(const Json& json, const char* member, std::size_t most,
                                          bool are_names, const std::string& where) {
  std::vector<std::string> texts;
  const auto found = json.find(member);
  if (found == json.end()) return texts;
  const bool is_list = found->is_array() && found->size() <= most;
  if (is_list)
    for (const Json& one : *found)
      if (one.is_string() && (!are_names || is_foreign_name(one.get_ref<const std::string&>())))
        texts.push_back(one.get<std::string>());
  if (!is_list || texts.size() != found->size())
    return wrong(where, fmt::format("\"{}\" is no list of up to {} texts", member, most), kHint);
  return texts;
}

Status take_files(const Json& json, const ImportSetting& setting, ImportedNode& node) {
  const bool has_code = json.contains("code");
  if (has_code == json.contains("files"))
    return wrong(node.where, "a node has either \"code\" or \"files\"", kHint);
  if (has_code) {
    if (!json.at("code").is_string()) return wrong(node.where, "\"code\" is no text", kHint);
    node.files[kernel_file(setting.device)] = json.at("code").get<std::string>();
    return Done{};
  }
  if (!json.at("files").is_object() || json.at("files").empty())
    return wrong(node.where, "\"files\" is no object of texts by path", kHint);
  for (const auto& [path, text] : json.at("files").items()) {
    if (!text.is_string()) return wrong(node.where, "a file is no text", kHint);
    node.files[path] = text.get<std::string>();
  }
  return Done{};
}

Status take_outcome(const Json& json, ImportedNode& node) {
  const auto found = json.find("outcome");
  if (found == json.end()) return Done{};
  if (!found->is_object() || found->size() > kMostOutcomeMembers)
    return wrong(node.where,
                 fmt::format("\"outcome\" is no object of up to {}", kMostOutcomeMembers), kHint);
  constexpr std::array<std::string_view, 3> kStrata = {stratum::kNotBuilt, stratum::kWrong,
                                                       stratum::kCorrect};
  for (const auto& [name, value] : found->items()) {
    const bool text = value.is_string() && is_foreign_name(value.get_ref<const std::string&>());
    const bool plain = value.is_number() || value.is_boolean() || text;
    if (!is_foreign_name(name) || !plain || name == "leaks")
      return wrong(node.where, "\"outcome\" has what is no number, yes or no, or short text",
                   kHint);
    if (name == "stratum" && std::find(kStrata.begin(), kStrata.end(), value) == kStrata.end())
      return wrong(node.where, "that stratum is unknown",
                   fmt::format("strata are {}", fmt::join(kStrata, ", ")));
    node.outcome[name] = value;
  }
  return Done{};
}

Result<ImportedNode> read_node_line(const Json& json, const std::string& where,
                                    const ImportSetting& setting) {
  ImportedNode node;
  node.where = where;
  const std::string trajectory = text_in(json, "trajectory");
  node.trajectory = !trajectory.empty()           ? trajectory
                    : !setting.trajectory.empty() ? setting.trajectory
                                                  : "imported";
  if (!is_foreign_name(node.trajectory))
    return wrong(where, "\"trajectory\" is no name", "A name has 1 to 200 bytes, in one line.");
  auto parents = texts_in(json, "parents", kMostParents, true, where);
  if (!parents) return parents.error();
  node.parents = std::move(*parents);
  auto reports = texts_in(json, "reports", kMostReports, false, where);
  if (!reports) return reports.error();
  node.reports = std::move(*reports);
  if (const auto generation = json.find("generation"); generation != json.end()) {
    if (!generation->is_number_integer() || *generation < 0 || *generation > kMostLineGeneration)
      return wrong(where, "\"generation\" is no count", kHint);
    node.generation = generation->get<std::int64_t>();
  }
  if (auto taken = take_files(json, setting, node); !taken) return taken.error();
  if (auto taken = take_outcome(json, node); !taken) return taken.error();
  if (const auto messages = json.find("messages"); messages != json.end()) {
    auto context = read_state_context(Json{{"messages", *messages}}.dump());
    if (!context)
      return wrong(where, context.error().message,
                   "One message has \"after\": what is injected stands between content and after.");
    node.context = std::move(*context);
  }
  return node;
}

}  // namespace

Status NodeLines::add(std::string_view text, const std::string& name) {
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const std::string where = fmt::format("{}:{}", name, number);
    auto json = parse_bounded_json(line);
    if (!json || !json->is_object())
      return wrong(where, json ? "no object" : "no JSON: " + json.error().message, kHint);
    if (auto fine = check_members(*json, where); !fine) return fine;
    const std::string id = text_in(*json, "id");
    if (!is_foreign_name(id))
      return wrong(where, "there is no \"id\" of 1 to 200 bytes in one line", kHint);
    std::string written = json->dump();
    const auto [known, is_new] = lines_.try_emplace(id, Line{written, std::move(*json), where});
    if (!is_new && known->second.text != written)
      return wrong(where, fmt::format("{} is another node in {}", id, known->second.where),
                   "Give it another id.");
  }
  return Done{};
}

Result<FrozenTexts> NodeLines::nodes(const ImportSetting& setting) const {
  std::map<std::string, ImportedNode> nodes;
  for (const auto& [id, line] : lines_) {
    auto node = read_node_line(line.json, line.where, setting);
    if (!node) return node.error();
    nodes.emplace(id, std::move(*node));
  }
  return make_nodes(nodes, setting, "jsonl");
}

}  // namespace kbench
