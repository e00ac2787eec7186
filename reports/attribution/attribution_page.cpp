#include "reports/attribution/attribution_page.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/attribution/attribution_chart.hpp"
#include "reports/attribution/attribution_tables.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/page/html_writer.hpp"
#include "reports/page/page_template.hpp"

namespace kbench {
namespace {

// Sections of the page, by the name that tables have, and what a reader calls them. Together the
// second ones fit the width of a phone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSections{
    {{"components", "Components"},
     {"interactions", "Together"},
     {"groups", "Groups"},
     {"arms", "Arms"},
     {"transfer", "Transfer"},
     {"lines", "Lines"}}};

using Tables = std::vector<AttributionTable>;

// Tables scroll inside their own box on a narrow screen; a box that scrolls takes the keyboard.
void open_table(HtmlWriter& html, const std::string& caption) {
  html.open(
      "div",
      {{"class", "scroll uncut"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption}});
  html.open("table").element("caption", caption);
}

std::string class_of(const Column& column) {
  return column.kind == Column::Kind::kNumber ? "number" : "";
}

void write_heads(HtmlWriter& html, const AttributionTable& table, const EstimateAxis& axis) {
  html.open("thead").open("tr");
  for (const Column& column : table.columns)
    html.element("th", column.heading, {{"scope", "col"}, {"class", class_of(column)}});
  if (!table.drawn.empty())
    html.element("th",
                 fmt::format("From {} to {}", signed_words(axis.low), signed_words(axis.high)),
                 {{"scope", "col"}});
  html.close().close();
}

void write_row(HtmlWriter& html, const AttributionTable& table, std::size_t row,
               const EstimateAxis& axis) {
  html.open("tr").element("th", table.columns.front().cells[row].text, {{"scope", "row"}});
  for (std::size_t at = 1; at < table.columns.size(); ++at)
    html.element("td", table.columns[at].cells[row].text, {{"class", class_of(table.columns[at])}});
  if (!table.drawn.empty()) {
    html.open("td", {{"class", "bar-cell"}});
    write_estimate_mark(html, table.drawn[row], axis);
    html.close();
  }
  html.close();
}

void write_table(HtmlWriter& html, const AttributionTable& table) {
  const EstimateAxis axis = axis_of(table.drawn);
  open_table(html, table.heading);
  write_heads(html, table, axis);
  html.open("tbody");
  for (std::size_t row = 0; row < table.columns.front().cells.size(); ++row)
    write_row(html, table, row, axis);
  html.close().close().close();  // tbody, table, div
}

void write_chart(HtmlWriter& html, const Attribution& found) {
  std::vector<ChartRow> rows;
  for (const ComponentAnswer& answer : found.answers) {
    const Effect& effect = found.effects[answer.effect];
    rows.push_back({component_words(effect.components), std::string(to_string(answer.advice)),
                    effect.estimate});
  }
  if (rows.empty()) return;
  html.open("figure");
  write_estimate_chart(html,
                       fmt::format("Effect of each component on {}, with 95 % intervals; the table "
                                   "below has the numbers",
                                   sanitize_line(found.outcome)),
                       rows);
  html.element("figcaption",
               fmt::format("φ of {} with its 95 % interval; the band is ± {}. A dot alone has no "
                           "interval, a line without a dot is a bound.",
                           sanitize_line(found.outcome), number_words(kSmallEffect)));
  html.close();
}

void write_section(HtmlWriter& html, const Attribution& found, const Tables& tables,
                   std::string_view section, std::string_view heading) {
  html.open("section", {{"id", std::string(section)}}).element("h2", heading);
  if (section == "components") write_chart(html, found);
  for (const AttributionTable& table : tables)
    if (table.section == section) write_table(html, table);
  const std::string pairs = section == "interactions" ? unidentified_words(found) : "";
  if (!pairs.empty()) html.element("p", pairs, {{"class", "note"}});
  html.close();
}

bool has_section(const Attribution& found, const Tables& tables, std::string_view section) {
  for (const AttributionTable& table : tables)
    if (table.section == section) return true;
  return section == "interactions" && !unidentified_words(found).empty();
}

// The lines with which the console begins.
void write_headline(HtmlWriter& html, const Attribution& found, const std::string& source) {
  const std::size_t components = found.components.size();
  html.open("header", {{"id", "headline"}});
  html.element("h1", fmt::format("{} component{} in {}", components, components == 1 ? "" : "s",
                                 unit_words(found.states, UnitKind::kState)));
  if (!found.alarms.empty()) {
    html.open("ul", {{"class", "cautions"}, {"aria-label", "Cautions"}});
    for (const std::string& alarm : found.alarms) html.element("li", "! " + sanitize_line(alarm));
    html.close();
  }
  for (const ComponentAnswer& answer : found.answers)
    html.element("p", answer_words(found, answer), {{"class", "lead"}});
  for (const std::string& line : scope_words(found)) html.element("p", line, {{"class", "meta"}});
  html.element("p", effect_words(found), {{"class", "meta"}});
  html.element("p", "Cells of " + sanitize_line(source), {{"class", "meta"}});
  html.close();
}

}  // namespace

std::string render_attribution_page(const Attribution& found, const std::string& source) {
  Tables tables = attribution_tables(found);
  for (AttributionTable& table : ground_tables(found)) tables.push_back(std::move(table));
  HtmlWriter links;
  HtmlWriter main;
  write_headline(main, found, source);
  for (const auto& [section, heading] : kSections) {
    if (!has_section(found, tables, section)) continue;
    links.element("a", heading, {{"href", fmt::format("#{}", section)}}).text("\n");
    write_section(main, found, tables, section, heading);
  }
  return static_page({.title = "kbench attribution · " + sanitize_line(source),
                      .links = links.take(),
                      .main = main.take()});
}

}  // namespace kbench
