#include "reports/facts/night_findings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "runner/core/bounded_json.hpp"

namespace kbench {
namespace {

constexpr std::string_view kConfirmed = "confirmed";
constexpr std::array<std::string_view, 3> kVerdicts{kConfirmed, "cleared", "unclear"};

// Bounds of a text that anybody may have written: a night of 250 tasks by 50 agents has fewer, each
// with a sentence.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostFindings = 20'000;
constexpr std::size_t kLongest = 4096;  // bytes of a member

Error malformed() { return {ErrorCode::kBadInput, "a night's findings are malformed", ""}; }

// False where the member is no text, or is too long.
bool take(const Json& finding, const char* name, std::string& text) {
  const auto member = finding.find(name);
  if (member == finding.end() || !member->is_string()) return false;
  text = member->get<std::string>();
  return text.size() <= kLongest;
}

}  // namespace

std::string NightFinding::contestant() const {
  return variant.empty() ? agent : agent + "@" + variant;
}

Json to_json(const std::vector<NightFinding>& findings) {
  Json list = Json::array();
  for (const NightFinding& finding : findings)
    list.push_back({{"task", finding.task},
                    {"agent", finding.agent},
                    {"variant", finding.variant},
                    {"verdict", finding.verdict},
                    {"message", finding.message}});
  return list;
}

Result<std::vector<NightFinding>> parse_night_findings(std::string_view text) {
  if (text.size() > kMostBytes) return malformed();
  const auto list = parse_bounded_json(text);
  if (!list || !list->is_array() || list->size() > kMostFindings) return malformed();
  std::vector<NightFinding> findings;
  for (const Json& one : *list) {
    NightFinding finding;
    const bool whole = one.is_object() && take(one, "task", finding.task) &&
                       take(one, "agent", finding.agent) && take(one, "variant", finding.variant) &&
                       take(one, "verdict", finding.verdict) &&
                       take(one, "message", finding.message);
    if (!whole || std::find(kVerdicts.begin(), kVerdicts.end(), finding.verdict) == kVerdicts.end())
      return malformed();
    finding.regression = finding.verdict == kConfirmed;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace kbench
