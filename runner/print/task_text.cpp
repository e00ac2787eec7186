#include "runner/print/task_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/list_columns.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/synthesis/synthesis_manifest.hpp"
#include "runner/task/draw_words.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/task_sizes.hpp"
#include "runner/task/task_tags.hpp"

namespace kbench {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits.at(unit));
}

std::string tensors_text(const Terminal& out, std::string_view title,
                         const std::vector<TensorSpec>& tensors, bool drawn) {
  if (tensors.empty()) return "";
  std::size_t width = 0;
  std::uint64_t bytes = 0;
  for (const TensorSpec& tensor : tensors) {
    width = std::max(width, tensor.name.size());
    bytes += tensor.bytes();
  }
  std::string text = fmt::format("  {} ({})\n", out.paint(Color::kBold, title), bytes_text(bytes));
  for (const TensorSpec& tensor : tensors)
    text += fmt::format("    {:{}}  {:8}  [{}]{}{}\n", tensor.name, width, to_string(tensor.dtype),
                        fmt::join(tensor.shape, ", "), drawn ? "  " : "",
                        drawn ? draw_words(tensor.draw) : "");
  return text;
}

std::string hard_draws_text(const Terminal& out, const std::vector<HardDrawRule>& rules) {
  std::string text =
      fmt::format("  {} (extra correctness draws)\n", out.paint(Color::kBold, "hard draws"));
  for (const HardDrawRule& rule : rules)
    text += fmt::format(
        "    {:12}  {}\n", to_string(rule.draw),
        rule.applies() ? std::string(describe(rule.draw)) : printable("left out: " + rule.reason));
  return text;
}

Color color_of(LintState state) {
  switch (state) {
    case LintState::kPassed: return Color::kGreen;
    case LintState::kAccepted: return Color::kYellow;
    case LintState::kFailed:
    case LintState::kUnable: return Color::kRed;
  }
  return Color::kRed;
}

// A run skips such a task.
bool is_not_in_half(const LintRow& row) {
  const auto& findings = row.outcome.record.findings;
  return std::any_of(findings.begin(), findings.end(),
                     [](const LintFinding& finding) { return finding.kind == kNotInHalf; });
}

std::string_view in_words(ImportError::Fault fault) {
  switch (fault) {
    case ImportError::Fault::kFile: return "the file's fault";
    case ImportError::Fault::kLimit: return "a limit of tasks";
    case ImportError::Fault::kMachine: return "this machine's fault";
  }
  return "";
}

// A line of the list of tasks.
struct ListedTask {
  const TaskEntry& entry;
  std::string family;
  std::string sizes;
};

// "matmul,activation"; in short "matmul +1".
std::string family_words(const std::vector<std::string>& families, bool in_short) {
  if (in_short && families.size() > 1)
    return fmt::format("{} +{}", families.front(), families.size() - 1);
  return fmt::format("{}", fmt::join(families, ","));
}

Cell title_cell(const ListedTask& task) {
  const TaskEntry& entry = task.entry;
  if (!entry.problem.empty()) return {"unreadable: " + printable(entry.problem), Tone::kBad};
  return {
      fmt::format("{}{}", entry.unranked.empty() ? "" : "(not ranked)  ", printable(entry.title)),
      {}};
}

const ListTable<ListedTask>& task_table() {
  static const ListTable<ListedTask> kTable = {
      {"task",
       {.heading = "Task", .kind = Column::Kind::kName, .flows = true},
       [](const ListedTask& task) -> Cell {
         return {printable(task.entry.id), {}};
       }},
      {"family",
       {.heading = "Family"},
       [](const ListedTask& task) -> Cell {
         return {task.family, Tone::kNeutral};
       }},
      {"sizes",
       {.heading = "Sizes", .importance = 1},
       [](const ListedTask& task) -> Cell {
         return {printable(task.sizes), Tone::kNeutral};
       }},
      {"title", {.heading = "Title"}, title_cell}};
  return kTable;
}

// "dir/bad.py:3: SyntaxError: invalid syntax (the file's fault; correct that line)"
std::string error_text(const ImportOutcome& outcome) {
  const ImportError& error = *outcome.error;
  return fmt::format("{}{}: {} ({}{}{})", outcome.where,
                     error.line > 0 ? fmt::format(":{}", error.line) : "", error.what,
                     in_words(error.fault), error.hint.empty() ? "" : "; ", error.hint);
}

}  // namespace

std::vector<std::string> task_columns() { return names_of(task_table()); }

std::string task_list_text(const std::vector<TaskEntry>& entries, const TableStyle& style,
                           const std::vector<std::string>& columns) {
  if (entries.empty()) return "";
  const auto sizes = sizes_of_each(entries);
  const auto families = tags_of_each(entries);
  std::vector<ListedTask> tasks;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_known = entries[i].problem.empty();
    tasks.push_back({entries[i], is_known ? family_words(families[i], style.columns > 0) : "–",
                     is_known ? fmt::format("{}", fmt::join(sizes[i], ",")) : "–"});
  }
  return render_list(task_table(), tasks, columns, style);
}

std::string task_list_words(const std::vector<TaskEntry>& entries) {
  const std::size_t broken = unreadable_tasks(entries);
  const std::string tasks =
      fmt::format("{} task{}", entries.size(), entries.size() == 1 ? "" : "s");
  return broken == 0 ? tasks : fmt::format("{}, {} of them unreadable", tasks, broken);
}

std::size_t unreadable_tasks(const std::vector<TaskEntry>& entries) {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(),
                    [](const TaskEntry& entry) { return !entry.problem.empty(); }));
}

std::string task_text(const Task& task, const std::vector<const TaskSize*>& sizes,
                      const Terminal& out) {
  std::string text =
      fmt::format("{}  {}\n  mode     {}\n  source   {}\n  lowered  {}\n  hash     {}\n",
                  out.paint(Color::kBold, task.id), printable(task.title), task.mode,
                  printable(task.source.string()), printable(task.file.string()), task.hash);
  if (!task.note.empty()) text += fmt::format("  note     {}\n", printable(task.note));
  if (const auto why = why_unranked(task.lint_accepts); !why.empty())
    text += fmt::format("  ranked   {}\n", printable("no: " + why));
  for (const TaskSize* size : sizes) {
    text += fmt::format(
        "\n{}  {:.4g} Gflop in matrix and convolution operations; intermediates at most {}\n",
        out.paint(Color::kBold, "size " + size->name), size->work.products / 1e9,
        bytes_text(size->peak_bytes_fp32));
    text += tensors_text(out, "inputs", size->inputs, true) +
            tensors_text(out, "parameters", size->parameters, true) +
            tensors_text(out, "outputs", size->outputs, false) +
            hard_draws_text(out, size->hard_draws);
  }
  return text;
}

std::string lint_text(const std::vector<LintRow>& rows, bool with_notes, const Terminal& out) {
  std::size_t width = 0;
  for (const LintRow& row : rows) width = std::max(width, row.outcome.record.task.size());
  std::string text;
  for (const LintRow& row : rows) {
    const LintRecord& record = row.outcome.record;
    text += fmt::format(
        "{:{}}  {}  {:3} of {:3} mutations rejected  eager {:8.3f} ms\n", record.task, width,
        out.paint(color_of(record.state), fmt::format("{:8}", to_string(record.state))),
        record.rejected, record.mutants, row.outcome.eager_ms);
    for (const LintFinding& finding : record.findings) {
      // A parameter without effect is right, and a task that no author would write knowing of it.
      const bool is_dead = finding.kind == to_string(MutationKind::kParameter);
      if (with_notes || is_dead || finding.weight != LintFinding::Weight::kNote)
        text += fmt::format("    {} {}: {}\n", to_string(finding.weight), finding.kind,
                            sanitize_line(finding.message));
    }
  }
  return text;
}

std::string lint_words(const SuiteLint& found) {
  std::string text = fmt::format(
      "{} of {} tasks passed, {} with an accepted flaw, {} failed", found.count(LintState::kPassed),
      found.rows.size(), found.count(LintState::kAccepted), found.count(LintState::kFailed));
  const auto not_in_class = std::count_if(found.rows.begin(), found.rows.end(), is_not_in_half);
  if (not_in_class > 0)
    text += fmt::format(", {} of them since the class does not have them", not_in_class);
  if (const int unable = found.count(LintState::kUnable); unable > 0)
    return text + fmt::format(", {} could not be tried", unable);
  if (found.interrupted || !found.accepts_too_many()) return text;
  return fmt::format("{}; at most {} may accept one", text, SuiteLint::kMostAccepted);
}

std::string import_text(const std::vector<ImportOutcome>& outcomes, const Terminal& out) {
  std::size_t width = 0;
  for (const ImportOutcome& outcome : outcomes)
    if (!outcome.error) width = std::max(width, outcome.task.size());
  std::string text;
  for (const ImportOutcome& outcome : outcomes) {
    const bool bad = outcome.error.has_value();
    const auto word = fmt::format("{:11}", to_string(outcome.state));
    const auto rest =
        bad ? error_text(outcome) : fmt::format("{:{}}  {}", outcome.task, width, outcome.where);
    text +=
        fmt::format("{} {}\n", out.paint(bad ? Color::kRed : Color::kGreen, word), printable(rest));
  }
  return text;
}

ImportCounts count_outcomes(const std::vector<ImportOutcome>& outcomes) {
  ImportCounts counts;
  for (const ImportOutcome& outcome : outcomes) {
    ++(outcome.state == ImportOutcome::State::kFailed        ? counts.failed
       : outcome.state == ImportOutcome::State::kInterrupted ? counts.left
                                                             : counts.imported);
    if (outcome.error && outcome.error->fault != ImportError::Fault::kMachine) ++counts.by_files;
  }
  return counts;
}

std::string import_words(const std::vector<ImportOutcome>& outcomes,
                         const std::filesystem::path& into) {
  const ImportCounts counts = count_outcomes(outcomes);
  const std::string text = fmt::format("{} of {} imported into {}", counts.imported,
                                       outcomes.size(), printable(into.string()));
  if (counts.left > 0) return text + "; interrupted, the same command goes on from there";
  return counts.failed > 0 ? fmt::format("{}; {} failed", text, counts.failed) : text;
}

std::string synthesis_words(const SynthOutcome& outcome, const std::filesystem::path& suite) {
  const std::string summary = fmt::format("{} of {} candidates are tasks of {}", outcome.kept,
                                          outcome.records.size(), printable(suite.string()));
  return outcome.interrupted ? summary + "; interrupted, --resume goes on from there" : summary;
}

std::string synthesis_text(const SynthOutcome& outcome) {
  std::string text = fmt::format("{:>6}  kept\n", outcome.kept);
  for (const auto& [fault, count] : count_faults(outcome.records))
    if (count > 0) text += fmt::format("{:>6}  {}: {}\n", count, to_string(fault), describe(fault));
  const auto labelled =
      std::count_if(outcome.records.begin(), outcome.records.end(),
                    [](const CandidateRecord& r) { return r.kept() && !r.similar_to.empty(); });
  if (labelled > 0)
    text += fmt::format("{:>6}  of those kept are like a held-out task\n", labelled);
  return text;
}

}  // namespace kbench
