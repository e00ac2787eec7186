#include "reports/attribution/attribution_report.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/attribution/attribution_words.hpp"
#include "reports/sanitize.hpp"

namespace kbench {
namespace {

constexpr const char* kNone = "–";

// A table that grows row by row.
class Rows {
 public:
  explicit Rows(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].cells.push_back({texts[i], {}});
  }
  [[nodiscard]] std::string render(const std::string& heading, const TableStyle& style) && {
    if (columns_.front().cells.empty()) return "";
    return "\n" + heading + "\n" + render_table(std::move(columns_), style);
  }

 private:
  std::vector<Column> columns_;
};

Column name(const char* heading) { return {.heading = heading, .kind = Column::Kind::kName}; }
Column number(const char* heading, int importance = 0) {
  return {.heading = heading, .kind = Column::Kind::kNumber, .importance = importance};
}

std::string p_words(const std::optional<double>& p) {
  if (!p) return kNone;
  return *p < 0.001 ? "< .001" : fmt::format("{:.3f}", *p).substr(*p < 0.9995 ? 1 : 0);
}

const Effect* find_like(const Attribution& found, const Effect& like, Index index) {
  for (const Effect& effect : found.effects)
    if (effect.index == index && effect.components == like.components &&
        effect.outcome == like.outcome && effect.by.empty())
      return &effect;
  return nullptr;
}

std::string cell_like(const Attribution& found, const Effect& like, Index index) {
  const Effect* effect = find_like(found, like, index);
  return effect == nullptr ? kNone : signed_words(effect->estimate.mean);
}

bool is_overall(const Effect& effect, std::size_t components) {
  return effect.index == Index::kBanzhaf && effect.components.size() == components &&
         effect.by.empty();
}

std::string components_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Component"), name("Outcome"), number("Banzhaf φ"), number("p", 8),
             number("Shapley", 7), number("Add one", 6), number("Leave out", 5), number("Units", 9),
             number("States", 4)});
  for (const Effect& effect : found.effects) {
    if (!is_overall(effect, 1)) continue;
    rows.add({component_words(effect.components), sanitize_line(effect.outcome),
              estimate_cell(effect.estimate),
              p_words(effect.corrected_p) + (effect.primary && effect.corrected_p ? " Holm" : ""),
              cell_like(found, effect, Index::kShapley), cell_like(found, effect, Index::kAddOne),
              cell_like(found, effect, Index::kLeaveOneOut),
              unit_words(effect.estimate.units, effect.unit), fmt::format("{}", effect.states)});
  }
  return std::move(rows).render("Components", style);
}

std::string interactions_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Together"), name("Outcome"), number("Banzhaf I"), number("p", 8),
             number("Shapley I", 7), number("Taylor", 6), number("σ", 5), number("States", 9)});
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}})
    for (const Effect& effect : found.effects) {
      if (!is_overall(effect, size) || effect.outcome == kTokensOutcome) continue;
      rows.add({component_words(effect.components), sanitize_line(effect.outcome),
                estimate_cell(effect.estimate), p_words(effect.corrected_p),
                cell_like(found, effect, Index::kShapley),
                cell_like(found, effect, Index::kShapleyTaylor),
                cell_like(found, effect, Index::kSigma), fmt::format("{}", effect.states)});
    }
  return std::move(rows).render("Interactions (above 0: more together than apart)", style);
}

// Pairs that no state has both of, in words.
std::string unidentified(const Attribution& found) {
  std::vector<std::string> pairs;
  for (std::size_t a = 0; a < found.components.size(); ++a)
    for (std::size_t b = a + 1; b < found.components.size(); ++b) {
      const std::vector<std::string> pair = {found.components[a], found.components[b]};
      const bool known = std::any_of(found.effects.begin(), found.effects.end(),
                                     [&](const Effect& one) { return one.components == pair; });
      if (!known) pairs.push_back(component_words(pair));
    }
  if (pairs.empty()) return "";
  return fmt::format("Not identified, for no state has both: {}.\n", fmt::join(pairs, ", "));
}

std::string groups_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("By"), name("Group"), name("Component"), number("Banzhaf φ"), number("p", 8),
             number("Units", 7), number("States", 6)});
  for (const Effect& effect : found.effects) {
    if (effect.by.empty()) continue;
    rows.add({sanitize_line(effect.by), sanitize_line(effect.group),
              component_words(effect.components), estimate_cell(effect.estimate),
              p_words(effect.corrected_p), unit_words(effect.estimate.units, effect.unit),
              fmt::format("{}", effect.states)});
  }
  return std::move(rows).render("In groups of states, " + sanitize_line(found.outcome), style);
}

std::string differences_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Component"), name("Group"), name("less"), number("Difference"), number("p", 8),
             number("Units", 7), name("Compared")});
  for (const GroupDifference& one : found.differences)
    rows.add({sanitize_line(one.component), sanitize_line(one.by + " " + one.group),
              sanitize_line(one.less),
              signed_words(one.difference.mean) + " " + interval_words(one.difference.interval),
              p_words(one.corrected_p), fmt::format("{}", one.units),
              one.paired ? "within units" : "Welch"});
  return std::move(rows).render("Differences between groups, " + sanitize_line(found.outcome),
                                style);
}

std::string arms_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Arm"), name("less"), name("Outcome"), number("Difference"), number("p", 8),
             number("Units", 7)});
  for (const ArmDifference& one : found.arms)
    rows.add({one.arm, one.less, sanitize_line(one.outcome), estimate_cell(one.estimate),
              p_words(one.corrected_p), unit_words(one.estimate.units, one.unit)});
  return std::move(rows).render("Arms", style);
}

std::string controls_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Control"), name("Ought to be 0"), number("Is"), number("p", 8), name("Result")});
  for (const Control& one : found.controls)
    rows.add({one.name, one.what, estimate_cell(one.estimate), p_words(one.corrected_p),
              one.failed       ? "fails"
              : one.estimate.p ? "holds"
                               : "cannot tell"});
  return std::move(rows).render("Controls, " + sanitize_line(found.outcome), style);
}

std::string share_words(const std::optional<Share>& share) {
  if (!share) return kNone;
  if (!share->interval) return "not bounded";
  return number_words(share->ratio) + " " + interval_words(*share->interval);
}

std::string transfers_table(const Attribution& found, const TableStyle& style) {
  Rows rows({name("Outcome"), number("Plan's gain T"), number("Gap"), number("Share"),
             number("Units", 7)});
  for (const Transfer& one : found.transfers)
    rows.add({sanitize_line(one.outcome), estimate_cell(one.gain), estimate_cell(one.gap),
              share_words(one.share), unit_words(one.gain.units, one.unit)});
  return std::move(rows).render("A strong planner's plans, a weak coder's code", style);
}

std::string census_words(const Attribution& found) {
  std::vector<std::string> parts;
  for (const AvailableCount& one : found.census)
    parts.push_back(fmt::format(
        "{} with {}{}", one.states,
        one.available.empty() ? "nothing"
                              : sanitize_line(fmt::format("{}", fmt::join(one.available, ", "))),
        one.sampled ? " (coalitions drawn)" : ""));
  return fmt::format("States: {}.\n", fmt::join(parts, "; "));
}

std::string lines_words(const Attribution& found) {
  std::string text = fmt::format("Lines: {} in the file, {} used, {} of other arms", found.lines,
                                 found.used, found.of_other_arms);
  if (found.left_out.empty()) return text + ", none left out.\n";
  std::vector<std::string> parts;
  for (const auto& [why, count] : found.left_out)
    parts.push_back(fmt::format("{}: {}", count, why));
  return text + fmt::format(". Left out: {}.\n", fmt::join(parts, "; "));
}

std::string undecided_words(const Attribution& found) {
  std::vector<std::string> parts;
  for (const auto& [outcome, share] : found.undecided)
    parts.push_back(fmt::format("{} in {:.0f} %", sanitize_line(outcome), 100 * share));
  return parts.empty() ? "" : fmt::format("Undecided cells: {}.\n", fmt::join(parts, ", "));
}

}  // namespace

std::string render_attribution(const Attribution& found, const TableStyle& style) {
  std::string text;
  for (const std::string& alarm : found.alarms)
    text += paint("! " + sanitize_line(alarm), Tone::kBad, style.colour) + "\n";
  for (const ComponentAnswer& answer : found.answers) text += answer_words(found, answer) + "\n";
  for (const std::string& line : scope_words(found)) text += line + "\n";
  text += fmt::format(
      "φ: by how much {} rises with the component, over all coalitions of the others (arm {}). "
      "Words by Holm at 5 %;\nall but these is exploratory, its p by Benjamini and Hochberg. The "
      "choice of the "
      "outcome is fixed by no plan.\n",
      sanitize_line(found.outcome), found.arm);
  text += components_table(found, style) + interactions_table(found, style) + unidentified(found) +
          groups_table(found, style) + differences_table(found, style) + arms_table(found, style) +
          controls_table(found, style) + transfers_table(found, style);
  return text + "\n" + census_words(found) + undecided_words(found) + lines_words(found);
}

}  // namespace kbench
