#include "runner/core/lint_record.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kbench {
namespace {

constexpr std::array<std::pair<LintState, std::string_view>, 4> kStates = {{
    {LintState::kPassed, "passed"},
    {LintState::kAccepted, "accepted"},
    {LintState::kFailed, "failed"},
    {LintState::kUnable, "unable"},
}};

using Weight = LintFinding::Weight;
constexpr std::array<std::pair<Weight, std::string_view>, 3> kWeights = {{
    {Weight::kFlaw, "flaw"},
    {Weight::kAccepted, "accepted"},
    {Weight::kNote, "note"},
}};

template <class Table, class Value>
std::string_view name_of(const Table& table, Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "";
}

template <class Value, class Table>
std::optional<Value> value_of(const Table& table, std::string_view name) {
  for (const auto& [value, known] : table)
    if (known == name) return value;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LintState state) { return name_of(kStates, state); }
std::optional<LintState> lint_state_from_string(std::string_view text) {
  return value_of<LintState>(kStates, text);
}

std::string_view to_string(Weight weight) { return name_of(kWeights, weight); }
std::optional<Weight> lint_weight_from_string(std::string_view text) {
  return value_of<Weight>(kWeights, text);
}

bool passes_without_inputs(std::string_view kind) {
  static constexpr std::array<std::string_view, 5> kKinds = {"stale", "zeros", "constant", "mean",
                                                             "previous"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

const LintFinding* comparison_with_python(const LintRecord& record, std::string_view source_hash) {
  const auto found =
      std::find_if(record.findings.begin(), record.findings.end(), [&](const LintFinding& finding) {
        return finding.kind == kAgainstPython && finding.subject == source_hash;
      });
  return found == record.findings.end() ? nullptr : &*found;
}

bool was_recounted(const LintRecord& record) {
  return std::any_of(record.findings.begin(), record.findings.end(),
                     [](const LintFinding& finding) { return finding.kind == kCost; });
}

std::string why_it_ranks_nobody(const LintRecord& record) {
  for (const LintFinding& finding : record.findings) {
    if (finding.weight == LintFinding::Weight::kNote) continue;
    if (passes_without_inputs(finding.kind))
      return "lint passed a submission that computes nothing (" + finding.kind +
             "): " + finding.message;
    if (finding.kind == kAgainstPython) return finding.message;
    const bool accepted = finding.weight == LintFinding::Weight::kAccepted;
    if (finding.kind == kImprecise && !accepted) return "eager is no yardstick: " + finding.message;
    if (finding.kind == kSlowGraph && !accepted) return "eager is slowed down: " + finding.message;
    if (finding.kind == kCost) return "its cost is misstated: " + finding.message;
  }
  return "";
}

std::string summary(const LintRecord& record) {
  std::string text(to_string(record.state));
  std::set<std::string> kinds;
  for (const LintFinding& finding : record.findings)
    if (finding.weight != Weight::kNote) kinds.insert(finding.kind);
  std::string_view separator = ": ";
  for (const std::string& kind : kinds) {
    text.append(separator).append(kind);
    separator = ", ";
  }
  return text;
}

}  // namespace kbench
