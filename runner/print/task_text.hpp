// Tasks, and what became of those that were linted, imported or composed, as text for a terminal.
// Text of others is made safe to show.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "runner/import/import_session.hpp"
#include "runner/lint/lint_session.hpp"
#include "runner/options/terminal.hpp"
#include "runner/synthesis/synth_session.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The names of the list's columns: task, family.
[[nodiscard]] std::vector<std::string> task_columns();
// A line each, below headings; empty without a task. `columns`: names of those to show, in this
// order; empty: as many of all as fit.
[[nodiscard]] std::string task_list_text(const std::vector<TaskEntry>& entries,
                                         const TableStyle& style,
                                         const std::vector<std::string>& columns = {});
// "250 tasks, 2 of them unreadable".
[[nodiscard]] std::string task_list_words(const std::vector<TaskEntry>& entries);
[[nodiscard]] std::size_t unreadable_tasks(const std::vector<TaskEntry>& entries);

// A task at these sizes of it: tensors, draws, work.
[[nodiscard]] std::string task_text(const Task& task, const std::vector<const TaskSize*>& sizes,
                                    const Terminal& out);

// `with_notes`: also findings that are no fault.
[[nodiscard]] std::string lint_text(const std::vector<LintRow>& rows, bool with_notes,
                                    const Terminal& out);

// "240 of 250 tasks passed, 2 with an accepted flaw, 8 failed".
[[nodiscard]] std::string lint_words(const SuiteLint& found);

[[nodiscard]] std::string import_text(const std::vector<ImportOutcome>& outcomes,
                                      const Terminal& out);

struct ImportCounts {
  std::size_t imported = 0, failed = 0, left = 0;  // left: by Ctrl-C
  std::size_t by_files = 0;  // failed ones that another machine could not mend
};
[[nodiscard]] ImportCounts count_outcomes(const std::vector<ImportOutcome>& outcomes);
// "3 of 4 imported into DIR; 1 failed".
[[nodiscard]] std::string import_words(const std::vector<ImportOutcome>& outcomes,
                                       const std::filesystem::path& into);
inline constexpr const char* kCheckedLater =
    "before a task's first timed row it is checked against its own Python, for which a Python with "
    "torch has to be there, or the record of a machine that has one (kbench help tasks); unchecked "
    "it ranks nobody";

// "7 of 10 candidates are tasks of DIR".
[[nodiscard]] std::string synthesis_words(const SynthOutcome& outcome,
                                          const std::filesystem::path& suite);
// How many candidates were kept, and how many failed by which fault.
[[nodiscard]] std::string synthesis_text(const SynthOutcome& outcome);

}  // namespace kbench
