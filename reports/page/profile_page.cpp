#include "reports/page/profile_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/page/html_writer.hpp"

namespace kbench {
namespace {

constexpr std::size_t kKernelsOnPage = 8;

// Width in pixels. A phone of 390 has 358 for it.
constexpr double kWidth = 352;
constexpr double kHeight = 240;
constexpr double kLeft = 44;
constexpr double kRight = 8;
constexpr double kTop = 12;
constexpr double kBottom = 36;
// Powers of ten: products' time over bytes' time, and share of the products' peak.
constexpr double kLowX = -3, kHighX = 2;
constexpr double kLowY = -4, kHighY = 0.2;

std::string pixels(double value) { return fmt::format("{:.1f}", value); }

double x_of(double intensity) {
  const double power = std::clamp(std::log10(intensity), kLowX, kHighX);
  return kLeft + (power - kLowX) / (kHighX - kLowX) * (kWidth - kLeft - kRight);
}

double y_of(double share) {
  const double power = std::clamp(std::log10(share), kLowY, kHighY);
  return kHeight - kBottom - (power - kLowY) / (kHighY - kLowY) * (kHeight - kTop - kBottom);
}

// A task without products has a place at the left edge, where only bytes count.
struct Point {
  double intensity = 0;  // products' time over bytes' time: at 1 both take as long
  double share = 0;      // reached, of the products' peak
};

std::optional<Point> point_of(const ProfileRecord& record) {
  const auto call = record.fact("call_us");
  const auto bytes = record.fact("bytes_us");
  const auto products = record.fact("products_us");
  const auto limit = record.fact("limit_us");
  if (!call || !bytes || !products || !limit || !(*call > 0) || !(*limit > 0)) return std::nullopt;
  const double least = std::pow(10, kLowX);
  const double intensity = *bytes > 0 ? std::max(least, *products / *bytes) : std::pow(10, kHighX);
  // The point lies on the roof where the call takes no longer than its limit.
  return Point{intensity, std::min(1.0, intensity) * *limit / *call};
}

void write_line(HtmlWriter& html, std::string_view kind, std::array<double, 4> ends) {
  html.element("line", "",
               {{"x1", pixels(ends[0])},
                {"y1", pixels(ends[1])},
                {"x2", pixels(ends[2])},
                {"y2", pixels(ends[3])},
                {"class", std::string(kind)}});
}

void write_label(HtmlWriter& html, double x, double y, std::string_view anchor,
                 std::string_view text) {
  html.element("text", text,
               {{"x", pixels(x)}, {"y", pixels(y)}, {"text-anchor", std::string(anchor)}});
}

void write_axes(HtmlWriter& html) {
  const double bottom = kHeight - kBottom;
  write_line(html, "roof-axis", {kLeft, bottom, kWidth - kRight, bottom});
  write_line(html, "roof-axis", {kLeft, kTop, kLeft, bottom});
  for (const auto& [value, text] :
       {std::pair{1e-3, "0.001"}, {1e-2, "0.01"}, {1e-1, "0.1"}, {1.0, "1"}, {1e1, "10"}})
    write_label(html, x_of(value), bottom + 14, "middle", text);
  for (const auto& [value, text] :
       {std::pair{1e-4, "0.01 %"}, {1e-3, "0.1 %"}, {1e-2, "1 %"}, {1e-1, "10 %"}, {1.0, "100 %"}})
    write_label(html, kLeft - 4, y_of(value) + 4, "end", text);
  write_label(html, (kLeft + kWidth - kRight) / 2, kHeight - 6, "middle",
              "time of products over time of bytes");
}

void write_points(HtmlWriter& html, const std::vector<StoredProfile>& profiles) {
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto point = point_of(profiles[i].record);
    if (!point) continue;
    const double x = x_of(point->intensity);
    const double y = y_of(point->share);
    html.element("circle", "",
                 {{"cx", pixels(x)}, {"cy", pixels(y)}, {"r", "4"}, {"class", "roof-point"}});
    const bool right = x > kWidth - 40;
    write_label(html, right ? x - 7 : x + 7, y + 4, right ? "end" : "start",
                fmt::format("{}", i + 1));
  }
}

void write_plot(HtmlWriter& html, const std::vector<StoredProfile>& profiles) {
  const auto placed = std::count_if(profiles.begin(), profiles.end(), [](const auto& profile) {
    return point_of(profile.record).has_value();
  });
  if (placed == 0) return;
  const std::string label = fmt::format(
      "Roofline: {} of {} profiles by their intensity and the share of the device's peak that they "
      "reach; the table below has the same numbers.",
      placed, profiles.size());
  html.open("figure");
  html.open("svg", {{"class", "roofline"},
                    {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", kWidth, kHeight)},
                    {"width", fmt::format("{:.0f}", kWidth)},
                    {"height", fmt::format("{:.0f}", kHeight)},
                    {"role", "img"},
                    {"aria-label", label}});
  write_axes(html);
  write_line(html, "roof", {x_of(1e-3), y_of(1e-3), x_of(1), y_of(1)});
  write_line(html, "roof", {x_of(1), y_of(1), kWidth - kRight, y_of(1)});
  write_points(html, profiles);
  html.close();
  html.element("figcaption",
               "The line is what the device allows: on its slope bytes set the limit, on its level "
               "part products do. The farther a call lies below it, the more there is to win. "
               "Numbers are those of the table.");
  html.close();
}

std::string number(const std::optional<double>& value) {
  if (!value) return "–";
  return *value >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.4g}", *value);
}

void open_table(HtmlWriter& html, std::string_view caption,
                const std::vector<std::pair<std::string_view, bool>>& heads) {
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", std::string(caption)}});
  html.open("table").element("caption", caption).open("thead").open("tr");
  for (const auto& [head, is_number] : heads)
    html.element("th", head, {{"scope", "col"}, {"class", is_number ? "number" : ""}});
  html.close().close().open("tbody");
}

void close_table(HtmlWriter& html) { html.close().close().close(); }

// " (profiled as NAME)" behind the name that the row has.
std::string other_name(const ProfileRecord& record) {
  return record.profiled_as.empty()
             ? ""
             : fmt::format(" (profiled as {})", without_folders(record.profiled_as));
}

std::string subject_of(const ProfileRecord& record) {
  return without_folders(record.subject()) + other_name(record);
}

std::string submission_of(const ProfileRecord& record) {
  return record.submission.empty() ? "–" : without_folders(record.submission) + other_name(record);
}

void write_overview(HtmlWriter& html, const std::vector<StoredProfile>& profiles) {
  open_table(html, "Profiles, and what bounds each call",
             {{"No.", true},
              {"Task", false},
              {"Side", false},
              {"Submission", false},
              {"Verdict", false},
              {"Call (us)", true},
              {"Of the limit (%)", true}});
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const ProfileRecord& record = profiles[i].record;
    html.open("tr");
    html.element("td", fmt::format("{}", i + 1), {{"class", "number"}});
    html.element("th", fmt::format("{} ({})", record.task, record.size), {{"scope", "row"}});
    html.element("td", record.side).element("td", submission_of(record));
    html.element("td", record.title());
    html.element("td", number(record.fact("call_us")), {{"class", "number"}});
    html.element("td", number(record.fact("limit_percent")), {{"class", "number"}});
    html.close();
  }
  close_table(html);
}

void write_advice(HtmlWriter& html, const ProfileRecord& record) {
  html.open("p").element("b", record.title()).text(": " + without_folders(record.evidence)).close();
  if (!record.closest.empty()) {
    html.open("ul");
    for (const CloseRule& close : record.closest) {
      std::string asks = close.asks;
      asks.front() = 'I';
      html.element("li", fmt::format("Closest: {}: {}. {}.", close.title,
                                     without_folders(close.evidence), asks));
    }
    html.close();
  }
  if (record.suggestions.empty()) return;
  html.open("ol");
  for (const ProfileFinding& advice : record.suggestions)
    html.element("li", fmt::format("{} (cannot save more than {} us). Wrong if {}.",
                                   without_folders(advice.suggestion), number(advice.saves_us),
                                   without_folders(advice.wrong_if)));
  html.close();
}

std::string extent(const std::array<std::int64_t, 3>& parts) {
  return fmt::format("{}×{}×{}", parts[0], parts[1], parts[2]);
}

void write_kernels(HtmlWriter& html, const ProfileRecord& record) {
  if (record.kernels.empty()) return;
  open_table(html, "Kernels of the median call, longest first",
             {{"Total us", true},
              {"Launches", true},
              {"Grid", true},
              {"Block", true},
              {"Registers", true},
              {"Shared (bytes)", true},
              {"Kernel", false}});
  for (std::size_t i = 0; i < std::min(kKernelsOnPage, record.kernels.size()); ++i) {
    const ProfiledKernel& kernel = record.kernels[i];
    html.open("tr");
    for (const std::string& text :
         {number(kernel.us), fmt::format("{}", kernel.launches), extent(kernel.grid),
          extent(kernel.block), fmt::format("{}", kernel.registers),
          fmt::format("{}", kernel.shared_bytes)})
      html.element("td", text, {{"class", "number"}});
    html.element("td", without_folders(kernel.name)).close();
  }
  close_table(html);
  const std::size_t shown = std::min(kKernelsOnPage, record.kernels.size());
  const std::size_t more = record.kernels.size() + record.more_kernels - shown;
  if (more > 0) html.element("p", fmt::format("and {} more", more), {{"class", "note"}});
}

std::string limit_line(const ProfileRecord& record) {
  const bool in_passing = record.fact("limit_calibrated") == 0;
  return fmt::format("limit by {}{}",
                     without_folders(limit_words(record.limit_basis, record.facts)),
                     in_passing ? ", not calibrated" : "");
}

void write_profile(HtmlWriter& html, std::size_t at, const StoredProfile& profile) {
  const ProfileRecord& record = profile.record;
  html.open("details");
  html.element("summary", fmt::format("{}. {} · {}: {}", at + 1, record.task, subject_of(record),
                                      record.title()));
  for (const std::string& caution : record.cautions)
    html.element("p", "Caution: " + without_folders(caution), {{"class", "note"}});
  write_advice(html, record);
  write_kernels(html, record);
  for (const std::string& line : record.missing)
    html.element("p", "Not there: " + without_folders(line), {{"class", "note"}});
  html.element("p",
               fmt::format("{} · {} · {} · {} · kbench {}", record.device, record.precision,
                           limit_line(record), minute_of(profile.made_at), profile.version),
               {{"class", "meta"}});
  html.close();
}

// "Not shown: 2 of another device, 1 unsound".
void write_left_out(HtmlWriter& html, const std::vector<std::string>& left_out) {
  if (left_out.empty()) return;
  html.element(
      "p",
      fmt::format("Profiles of these tasks that are not shown: {}.", fmt::join(left_out, ", ")),
      {{"class", "note"}});
}

}  // namespace

std::string profiles_html(const PageProfiles& page) {
  if (page.empty()) return "";
  const std::vector<StoredProfile>& profiles = page.shown;
  HtmlWriter html;
  html.open("section", {{"id", "profiles"}}).element("h2", "Why is it slow");
  html.element("p",
               "What kbench profile found of these rows, beside them and apart from them. A "
               "profiler's word is no verdict: a profile of a submission is what its own process "
               "says, and no row, rank or reward depends on one. Times are of profiled calls, "
               "which are slower than those of a run.",
               {{"class", "note"}});
  write_left_out(html, page.left_out);
  write_plot(html, profiles);
  if (!profiles.empty()) write_overview(html, profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) write_profile(html, i, profiles[i]);
  html.close();
  return html.take();
}

}  // namespace kbench
