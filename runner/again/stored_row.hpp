// One row of a stored run, as a command line names it, and its sources as files again. The database
// is not trusted: no name in it is believed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/store/chain/chain.hpp"

namespace kbench {

// The row that a command line names.
struct RowChoice {
  std::filesystem::path database = "kbench.sqlite";
  std::string run;                   // a name of store/run_name.hpp
  std::string task;                  // the word of --task; empty: the only one of the run
  std::optional<std::string> agent;  // none: the row without a submission
  std::optional<std::string> variant;
  std::optional<std::string> submission;  // its name, where that takes more to tell
};

struct StoredRow {
  Run run;
  Evaluation evaluation;
  ChainFinding chain;                 // chain of the run
  std::vector<std::string> contents;  // texts of evaluation.sources, in their order
};

// Errors: no such database, run, task, agent or variant, each with what there is; several rows that
// fit.
[[nodiscard]] Result<StoredRow> find_stored_row(const RowChoice& choice,
                                                const Installation& installation);

// The rows of a run whose sources the database keeps; of rows with equal sources for one task and
// name, the first. Errors: those of reading it.
[[nodiscard]] Result<std::vector<StoredRow>> stored_rows_with_sources(
    const std::filesystem::path& database, const Run& run);

// Writes the row's sources below `folder`, which is empty or not there yet, as a submissions
// folder: AGENT/levelN/NNN_name.cu and AGENT/include/. For a run of one file without folders it
// writes that file. Returns where the submission lies. Errors: a row without sources; names that
// leave the folder.
[[nodiscard]] Result<std::filesystem::path> write_stored_sources(
    const StoredRow& row, const std::filesystem::path& folder);

// Whether the row's submission was given as one file without folders.
[[nodiscard]] bool is_lone_file(const StoredRow& row);

// The command line that evaluates what was written below `folder`.
[[nodiscard]] std::string evaluating_command(const StoredRow& row,
                                             const std::filesystem::path& folder,
                                             const std::filesystem::path& submission);

}  // namespace kbench
