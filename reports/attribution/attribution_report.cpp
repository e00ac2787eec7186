#include "reports/attribution/attribution_report.hpp"

#include <utility>

#include "reports/attribution/attribution_tables.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// True for the tables of pairs: behind these the report says nothing more of a pair.
bool tells_of_pairs(const AttributionTable& table) {
  return table.section == "components" || table.section == "interactions";
}

std::string tables_text(const Attribution& found, const TableStyle& style) {
  std::string text;
  std::string unidentified = unidentified_words(found);
  if (!unidentified.empty()) unidentified += "\n";
  for (AttributionTable& table : attribution_tables(found)) {
    if (!tells_of_pairs(table)) text += std::exchange(unidentified, "");
    text += "\n" + table.heading + "\n" + render_table(std::move(table.columns), style);
  }
  return text + unidentified;
}

}  // namespace

std::string render_attribution(const Attribution& found, const TableStyle& style) {
  std::string text;
  for (const std::string& alarm : found.alarms)
    text += paint("! " + sanitize_line(alarm), Tone::kBad, style.colour) + "\n";
  for (const ComponentAnswer& answer : found.answers) text += answer_words(found, answer) + "\n";
  for (const std::string& line : scope_words(found)) text += line + "\n";
  text += effect_words(found) + "\n" + tables_text(found, style) + "\n";
  for (const std::string& sentence : ground_words(found)) text += sentence + "\n";
  return text;
}

}  // namespace kbench
