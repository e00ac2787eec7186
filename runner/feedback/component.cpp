#include "runner/feedback/component.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestName = 40;
constexpr std::size_t kLongestCommand = 4096;
constexpr std::size_t kShownOfAHash = 16;

struct BuiltIn {
  std::string_view name;
  std::string_view version;
  bool reads_row;  // else the kernel
  std::array<std::string_view, 3> strata;
};

constexpr std::array<BuiltIn, 4> kBuiltIn = {
    {{"error", "1", true, {stratum::kNotBuilt, stratum::kWrong}},
     {"debugger", "1", false, {stratum::kWrong, stratum::kCorrect}},
     {"analyzer", "1", false, {stratum::kNotBuilt, stratum::kWrong, stratum::kCorrect}},
     {"profiler", "1", true, {stratum::kWrong, stratum::kCorrect}}}};

const BuiltIn* built_in(std::string_view name) {
  const auto* found = std::find_if(kBuiltIn.begin(), kBuiltIn.end(),
                                   [&](const BuiltIn& one) { return one.name == name; });
  return found == kBuiltIn.end() ? nullptr : found;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

Error no_component(std::string_view word) {
  return {ErrorCode::kUsage,
          fmt::format("\"{}\" is no component of feedback", clean_name(std::string(word), 80)),
          "error, debugger, analyzer and profiler are built in; NAME=COMMAND is one of your own"};
}

}  // namespace

Result<Component> find_component(const std::string& word) {
  if (const BuiltIn* known = built_in(word))
    return Component{std::string(known->name), std::string(known->version), ""};
  const std::size_t at = word.find('=');
  if (at == word.npos) return no_component(word);
  const std::string name = word.substr(0, at);
  const std::string command = word.substr(at + 1);
  const bool sound = is_name(name) && built_in(name) == nullptr && !command.empty() &&
                     command.size() <= kLongestCommand &&
                     command.find_first_of(std::string_view("\n\0", 2)) == command.npos;
  if (!sound) return no_component(word);
  return Component{name, "command-" + sha256(command).substr(0, kShownOfAHash), command};
}

Result<std::vector<Component>> built_in_components(std::string_view list) {
  std::vector<Component> components;
  if (list == "none") return components;
  for (std::string_view rest = list;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string word(rest.substr(0, end));
    if (built_in(word) == nullptr) return no_component(word);
    auto one = find_component(word);
    if (!one) return one.error();
    const bool twice = std::find(components.begin(), components.end(), *one) != components.end();
    if (twice)
      return Error{ErrorCode::kUsage, fmt::format("{} is named twice", word),
                   "name each component once"};
    components.push_back(std::move(*one));
    if (end == rest.size()) return components;
    rest.remove_prefix(end + 1);
  }
}

bool reads_row(const Component& component) {
  const BuiltIn* known = built_in(component.name);
  return known != nullptr && known->reads_row;
}

bool reads_times(const Component& component) { return component.name == "profiler"; }

bool reads_kernel(const Component& component) {
  const BuiltIn* known = built_in(component.name);
  return known != nullptr && !known->reads_row;
}

bool answers_in(const Component& component, std::string_view stratum) {
  const BuiltIn* known = built_in(component.name);
  return known == nullptr ||
         std::find(known->strata.begin(), known->strata.end(), stratum) != known->strata.end();
}

}  // namespace kbench
