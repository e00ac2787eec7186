#include "runner/trajectory/leak_check.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

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

// A line as it stands within a text of JSON, without the quotes around it.
std::string escaped(std::string_view line) {
  const std::string text = Json(line).dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

// The context's pieces of kShortestLeak bytes, so that a line that is not there is not searched
// for: a foreign report has many lines, and a foreign context is long.
class Pieces {
 public:
  explicit Pieces(std::string_view text) {
    for (std::size_t at = 0; at + kShortestLeak <= text.size(); ++at)
      hashes_.push_back(hash_at(text.substr(at)));
    std::sort(hashes_.begin(), hashes_.end());
  }
  [[nodiscard]] bool may_hold(std::string_view line) const {
    return line.size() >= kShortestLeak &&
           std::binary_search(hashes_.begin(), hashes_.end(), hash_at(line));
  }

 private:
  static std::size_t hash_at(std::string_view text) {
    return std::hash<std::string_view>()(text.substr(0, kShortestLeak));
  }

  std::vector<std::size_t> hashes_;
};

}  // namespace

std::size_t count_leaks(std::span<const std::string> reports, std::string_view context,
                        std::string_view kernel, std::string_view task) {
  if (reports.empty()) return 0;
  const Pieces pieces(context);
  const auto holds = [&](std::string_view line) {
    return pieces.may_hold(line) && context.find(line) != context.npos;
  };
  std::set<std::string_view> leaks;
  for (const std::string& report : reports) {
    for (const std::string_view whole : lines_of(report)) {
      const std::string_view line = trimmed(whole);
      if (line.size() < kShortestLeak || leaks.contains(line)) continue;
      if (!holds(line) && !holds(escaped(line))) continue;
      if (kernel.find(line) == kernel.npos && task.find(line) == task.npos) leaks.insert(line);
    }
  }
  return leaks.size();
}

}  // namespace kbench
