#include "runner/trajectory/leak_check.hpp"

#include <set>

#include "runner/core/json.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

// As it stands within a text of JSON, without the quotes around it.
std::string escaped(std::string_view line) {
  const std::string text = Json(line).dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

}  // namespace

std::size_t count_leaks(std::span<const std::string> reports, std::string_view context,
                        std::string_view kernel, std::string_view task) {
  std::set<std::string_view> leaks;
  for (const std::string& report : reports) {
    for (const std::string_view whole : lines_of(report)) {
      const std::string_view line = trimmed(whole);
      if (line.size() < kShortestLeak || leaks.contains(line)) continue;
      if (context.find(line) == context.npos && context.find(escaped(line)) == context.npos)
        continue;
      if (kernel.find(line) == kernel.npos && task.find(line) == task.npos) leaks.insert(line);
    }
  }
  return leaks.size();
}

}  // namespace kbench
