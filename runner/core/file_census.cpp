#include "runner/core/file_census.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

int count_of(const Json& object, const char* name) {
  constexpr std::int64_t kMost = 100'000'000;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMost));
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

int Census::mistaken() const {
  return static_cast<int>(std::count_if(ignored.begin(), ignored.end(),
                                        [](const auto& file) { return file.mistaken; }));
}

std::string Census::summary() const {
  std::string text = fmt::format("evaluated {}", evaluated);
  const std::pair<const char*, int> others[] = {{"for the other device", other_device},
                                                {"not selected", not_selected},
                                                {"ignored", static_cast<int>(ignored.size())}};
  for (const auto& [what, count] : others)
    if (count > 0) text += fmt::format(", {} {}", what, count);
  return text;
}

Json census_json(const Census& census) {
  Json ignored = Json::array();
  for (const Census::Ignored& file : census.ignored)
    ignored.push_back({{"path", file.path}, {"why", file.why}, {"mistaken", file.mistaken}});
  return {{"evaluated", census.evaluated},
          {"other_device", census.other_device},
          {"not_selected", census.not_selected},
          {"ignored", ignored}};
}

std::optional<Census> read_census(const std::string& json) {
  const Json stored = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!stored.is_object()) return std::nullopt;
  Census census{.evaluated = count_of(stored, "evaluated"),
                .other_device = count_of(stored, "other_device"),
                .not_selected = count_of(stored, "not_selected")};
  const auto ignored = stored.find("ignored");
  if (ignored == stored.end() || !ignored->is_array()) return census;
  for (const Json& file : *ignored) {
    if (!file.is_object()) continue;
    const auto mistaken = file.find("mistaken");
    census.ignored.push_back(
        {text_of(file, "path"), text_of(file, "why"), mistaken != file.end() && *mistaken == true});
  }
  return census;
}

}  // namespace kbench
