#include "reports/page/page_night.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/page/html_writer.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kNameColumns = 60;

// How a verdict is counted, and the badge of one; in the order in which people want them.
struct Kind {
  std::string_view verdict;
  std::string_view one;
  std::string_view several;
  std::string_view badge;
  std::string_view tone;
};
constexpr Kind kKinds[] = {
    {"confirmed", "regression confirmed", "regressions confirmed", "✗ confirmed", "bad"},
    {"unclear", "suspicion unclear", "suspicions unclear", "? unclear", "caution"},
    {"cleared", "suspicion cleared", "suspicions cleared", "✓ cleared", "good"},
};

std::size_t order_of(const NightFinding& finding) {
  const auto* const found =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&](const Kind& kind) { return kind.verdict == finding.verdict; });
  return found == std::end(kKinds) ? 1 : static_cast<std::size_t>(found - std::begin(kKinds));
}

std::string summary_of(const std::vector<NightFinding>& findings, bool has_earlier) {
  if (findings.empty() && !has_earlier)
    return "No earlier run that measured alike is at hand, so there is nothing to compare with.";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    const auto count = std::count_if(findings.begin(), findings.end(),
                                     [&](const NightFinding& one) { return order_of(one) == i; });
    if (count > 0)
      parts.push_back(fmt::format("{} {}", count, count == 1 ? kKinds[i].one : kKinds[i].several));
  }
  return parts.empty() ? "No row was suspected of a regression."
                       : fmt::format("{}", fmt::join(parts, ", "));
}

void write_finding(HtmlWriter& html, const NightFinding& finding) {
  const Kind& kind = kKinds[order_of(finding)];
  html.open("li");
  html.element("span", kind.badge, {{"class", fmt::format("badge {}", kind.tone)}});
  html.text(" ").element("a", sanitize_line(finding.task), {{"href", "#" + finding.task}});
  html.text(" of ").element("b", shorten(sanitize_line(finding.contestant()), kNameColumns));
  html.element("small", without_folders(sanitize_line(finding.message)));
  html.close();
}

}  // namespace

std::string night_html(const ReportData& data) {
  if (!data.night) return "";
  std::vector<NightFinding> findings = *data.night;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  HtmlWriter html;
  html.open("div", {{"class", "night"}})
      .element("p", summary_of(findings, data.trend.has_value()), {{"class", "kicker"}});
  if (!findings.empty()) html.open("ul");
  for (std::size_t i = 0; i < std::min(kMostShown, findings.size()); ++i)
    write_finding(html, findings[i]);
  if (findings.size() > kMostShown)
    html.element("li", fmt::format("and {} more", findings.size() - kMostShown));
  if (!findings.empty()) html.close();
  html.close();
  return html.take();
}

}  // namespace kbench
