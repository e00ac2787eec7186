#include "reports/attribution/attribution_tables.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/sanitize.hpp"

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
  // A row with an estimate that a page draws.
  void add(const std::vector<std::string>& texts, const Estimate& drawn) {
    add(texts);
    drawn_.push_back(drawn);
  }
  [[nodiscard]] AttributionTable table(std::string_view section, std::string heading) && {
    return {section, std::move(heading), std::move(columns_), std::move(drawn_)};
  }

 private:
  std::vector<Column> columns_;
  std::vector<Estimate> drawn_;
};

Column name(const char* heading) { return {.heading = heading, .kind = Column::Kind::kName}; }
Column number(const char* heading, int importance = 0) {
  return {.heading = heading, .kind = Column::Kind::kNumber, .importance = importance};
}

std::string p_words(const std::optional<double>& p) {
  if (!p) return kNone;
  return *p < 0.001 ? "< .001" : fmt::format("{:.3f}", *p).substr(*p < 0.9995 ? 1 : 0);
}

// Effects over all states, to be found by what they are of.
class Overall {
 public:
  explicit Overall(const Attribution& found) {
    for (const Effect& effect : found.effects)
      if (effect.by.empty()) means_[{effect.index, effect.outcome, effect.components}] = &effect;
  }

  // The same as `like`, by another index.
  [[nodiscard]] std::string cell(const Effect& like, Index index) const {
    const auto found = means_.find({index, like.outcome, like.components});
    return found == means_.end() ? kNone : signed_words(found->second->estimate.mean);
  }

 private:
  std::map<std::tuple<Index, std::string, std::vector<std::string>>, const Effect*> means_;
};

bool is_overall(const Effect& effect, std::size_t components) {
  return effect.index == Index::kBanzhaf && effect.components.size() == components &&
         effect.by.empty();
}

AttributionTable components_table(const Attribution& found, const Overall& overall) {
  Rows rows({name("Component"), name("Outcome"), number("Banzhaf φ"), number("p", 8),
             number("Shapley", 7), number("Add one", 6), number("Leave out", 5), number("Units", 9),
             number("States", 4)});
  for (const Effect& effect : found.effects) {
    if (!is_overall(effect, 1)) continue;
    rows.add({component_words(effect.components), sanitize_line(effect.outcome),
              estimate_cell(effect.estimate),
              p_words(effect.corrected_p) + (effect.primary && effect.corrected_p ? " Holm" : ""),
              overall.cell(effect, Index::kShapley), overall.cell(effect, Index::kAddOne),
              overall.cell(effect, Index::kLeaveOneOut),
              unit_words(effect.estimate.units, effect.unit), fmt::format("{}", effect.states)});
  }
  return std::move(rows).table("components", "Components");
}

AttributionTable interactions_table(const Attribution& found, const Overall& overall) {
  Rows rows({name("Together"), name("Outcome"), number("Banzhaf I"), number("p", 8),
             number("Shapley I", 7), number("Taylor", 6), number("σ", 5), number("States", 9)});
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}})
    for (const Effect& effect : found.effects) {
      if (!is_overall(effect, size) || effect.outcome == kTokensOutcome) continue;
      rows.add({component_words(effect.components), sanitize_line(effect.outcome),
                estimate_cell(effect.estimate), p_words(effect.corrected_p),
                overall.cell(effect, Index::kShapley), overall.cell(effect, Index::kShapleyTaylor),
                overall.cell(effect, Index::kSigma), fmt::format("{}", effect.states)});
    }
  return std::move(rows).table("interactions", "Interactions (above 0: more together than apart)");
}

AttributionTable groups_table(const Attribution& found) {
  Rows rows({name("By"), name("Group"), name("Component"), number("Banzhaf φ"), number("p", 8),
             number("Units", 7), number("States", 6)});
  for (const Effect& effect : found.effects) {
    if (effect.by.empty()) continue;
    rows.add(
        {sanitize_line(effect.by), sanitize_line(effect.group), component_words(effect.components),
         estimate_cell(effect.estimate), p_words(effect.corrected_p),
         unit_words(effect.estimate.units, effect.unit), fmt::format("{}", effect.states)},
        effect.estimate);
  }
  return std::move(rows).table("groups", "In groups of states, " + sanitize_line(found.outcome));
}

AttributionTable differences_table(const Attribution& found) {
  Rows rows({name("Component"), name("Group"), name("less"), number("Difference"), number("p", 8),
             number("Units", 7), name("Compared")});
  for (const GroupDifference& one : found.differences)
    rows.add({sanitize_line(one.component), sanitize_line(one.by + " " + one.group),
              sanitize_line(one.less),
              signed_words(one.difference.mean) + " " + interval_words(one.difference.interval),
              p_words(one.corrected_p), fmt::format("{}", one.units),
              one.paired ? "within units" : "Welch"});
  return std::move(rows).table("groups",
                               "Differences between groups, " + sanitize_line(found.outcome));
}

AttributionTable arms_table(const Attribution& found) {
  Rows rows({name("Arm"), name("less"), name("Outcome"), number("Difference"), number("p", 8),
             number("Units", 7)});
  for (const ArmDifference& one : found.arms)
    rows.add({one.arm, one.less, sanitize_line(one.outcome), estimate_cell(one.estimate),
              p_words(one.corrected_p), unit_words(one.estimate.units, one.unit)});
  return std::move(rows).table("arms", "Arms");
}

AttributionTable controls_table(const Attribution& found) {
  Rows rows({name("Control"), name("Ought to be 0"), number("Is"), number("p", 8), name("Result")});
  for (const Control& one : found.controls)
    rows.add({one.name, one.what, estimate_cell(one.estimate), p_words(one.corrected_p),
              one.failed       ? "fails"
              : one.estimate.p ? "holds"
                               : "cannot tell"});
  return std::move(rows).table("arms", "Controls, " + sanitize_line(found.outcome));
}

std::string share_words(const std::optional<Share>& share) {
  if (!share) return kNone;
  if (!share->interval) return "not bounded";
  return number_words(share->ratio) + " " + interval_words(*share->interval);
}

AttributionTable transfers_table(const Attribution& found) {
  Rows rows({name("Outcome"), number("Plan's gain T"), number("Gap"), number("Share"),
             number("Units", 7)});
  for (const Transfer& one : found.transfers)
    rows.add({sanitize_line(one.outcome), estimate_cell(one.gain), estimate_cell(one.gap),
              share_words(one.share), unit_words(one.gain.units, one.unit)});
  return std::move(rows).table("transfer", "A strong planner's plans, a weak coder's code");
}

std::string available_words(const AvailableCount& one) {
  if (one.available.empty()) return "nothing";
  return sanitize_line(fmt::format("{}", fmt::join(one.available, ", ")));
}

std::string census_words(const Attribution& found) {
  std::vector<std::string> parts;
  for (const AvailableCount& one : found.census)
    parts.push_back(fmt::format("{} with {}{}", one.states, available_words(one),
                                one.sampled ? " (coalitions drawn)" : ""));
  return fmt::format("States: {}.", fmt::join(parts, "; "));
}

std::string lines_words(const Attribution& found) {
  std::string text = fmt::format("Lines: {} in the file, {} used, {} of other arms", found.lines,
                                 found.used, found.of_other_arms);
  if (found.left_out.empty()) return text + ", none left out.";
  std::vector<std::string> parts;
  for (const auto& [why, count] : found.left_out)
    parts.push_back(fmt::format("{}: {}", count, why));
  return text + fmt::format(". Left out: {}.", fmt::join(parts, "; "));
}

std::string undecided_words(const Attribution& found) {
  std::vector<std::string> parts;
  for (const auto& [outcome, share] : found.undecided)
    parts.push_back(fmt::format("{} in {:.0f} %", sanitize_line(outcome), 100 * share));
  return parts.empty() ? "" : fmt::format("Undecided cells: {}.", fmt::join(parts, ", "));
}

AttributionTable lines_table(const Attribution& found) {
  Rows rows({name("Lines"), number("Number")});
  rows.add({"in the file", fmt::format("{}", found.lines)});
  rows.add({"used", fmt::format("{}", found.used)});
  rows.add({"of other arms", fmt::format("{}", found.of_other_arms)});
  for (const auto& [why, count] : found.left_out)
    rows.add({"left out: " + sanitize_line(why), fmt::format("{}", count)});
  return std::move(rows).table("lines", "Lines of the file");
}

AttributionTable faults_table(const Attribution& found) {
  Rows rows({name("Coalition"), number("Faults")});
  for (const auto& [coalition, count] : found.faults_by_coalition)
    rows.add({sanitize_line(coalition), fmt::format("{}", count)});
  return std::move(rows).table("lines", "Faults by coalition");
}

AttributionTable undecided_table(const Attribution& found) {
  Rows rows({name("Outcome"), number("Undecided cells")});
  for (const auto& [outcome, share] : found.undecided)
    rows.add({sanitize_line(outcome), fmt::format("{:.0f} %", 100 * share)});
  return std::move(rows).table("lines", "Undecided cells");
}

AttributionTable census_table(const Attribution& found) {
  Rows rows({name("Answered"), number("States"), name("Coalitions")});
  for (const AvailableCount& one : found.census)
    rows.add({available_words(one), fmt::format("{}", one.states), one.sampled ? "drawn" : "all"});
  return std::move(rows).table("lines", "States by what answered");
}

// Tables without those that have no row.
std::vector<AttributionTable> filled(std::vector<AttributionTable> tables) {
  std::erase_if(tables, [](const auto& one) { return one.columns.front().cells.empty(); });
  return tables;
}

}  // namespace

std::vector<AttributionTable> attribution_tables(const Attribution& found) {
  const Overall overall(found);
  std::vector<AttributionTable> tables;
  tables.push_back(components_table(found, overall));
  tables.push_back(interactions_table(found, overall));
  for (const auto& make :
       {groups_table, differences_table, arms_table, controls_table, transfers_table})
    tables.push_back(make(found));
  return filled(std::move(tables));
}

std::vector<AttributionTable> ground_tables(const Attribution& found) {
  return filled(
      {lines_table(found), faults_table(found), undecided_table(found), census_table(found)});
}

std::string effect_words(const Attribution& found) {
  return fmt::format(
      "φ: by how much {} rises with the component, over all coalitions of the others (arm {}). "
      "Words by Holm at 5 %;\nall but these is exploratory, its p by Benjamini and Hochberg. The "
      "choice of the "
      "outcome is fixed by no plan.",
      sanitize_line(found.outcome), found.arm);
}

std::string unidentified_words(const Attribution& found) {
  std::vector<std::string> pairs;
  for (std::size_t a = 0; a < found.components.size(); ++a)
    for (std::size_t b = a + 1; b < found.components.size(); ++b) {
      const std::vector<std::string> pair = {found.components[a], found.components[b]};
      const bool known = std::any_of(found.effects.begin(), found.effects.end(),
                                     [&](const Effect& one) { return one.components == pair; });
      if (!known) pairs.push_back(component_words(pair));
    }
  if (pairs.empty()) return "";
  return fmt::format("Not identified, for no state has both: {}.", fmt::join(pairs, ", "));
}

std::vector<std::string> ground_words(const Attribution& found) {
  std::vector<std::string> sentences = {census_words(found), undecided_words(found),
                                        lines_words(found)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace kbench
