#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/import/import_json.hpp"
#include "runner/print/progress.hpp"
#include "runner/print/task_text.hpp"

namespace kbench {
namespace {

// A failure that only another machine can mend is not the fault of a file.
ExitCode code_of(const std::vector<ImportOutcome>& outcomes) {
  const ImportCounts counts = count_outcomes(outcomes);
  if (counts.left > 0) return ExitCode::kInterrupted;
  if (counts.failed == 0) return ExitCode::kGood;
  return counts.by_files > 0 ? ExitCode::kTaskFailed : ExitCode::kInfrastructure;
}

}  // namespace

CLI::App* add_import(CLI::App& app, ImportOptions& options) {
  auto& import = add_verb(app, "import", "Turn files in KernelBench's format into a suite");
  add_value(import, "PATH", options.paths, "", "Python files, folders of them, or tables")
      ->required();
  add_value(import, "--out", options.out, "DIR", "Folder of the suite")->required();
  add_word(import, "--mode", options.mode, {"train", "eval"},
           "Batch norm by the batch's statistics, or by the running ones (default: train)");
  add_number(import, "--level", options.level, 1, 99,
             "Level of files that lie in no levelN/ (default: 1)");
  add_number(import, "--jobs", options.jobs, 1, 256,
             "Files read in parallel (default: number of processors, fewer for few files)");
  add_number(import, "--timeout", options.timeout_s, 1, 86400,
             "Seconds of processor time that one file may take, see below (default: 120)");
  add_number(import, "--memory", options.memory_gib, 4, 4096,
             "GiB of address space that one file may take (default: 12)");
  add_json(import, options.format, "Format of the results on standard output");
  add_common(import, options.common, false);
  return &import;
}

Result<End> call(const ImportOptions& options, const Installation& installation) {
  Progress progress = progress_of(options.common);
  const auto outcomes = import_suite(options, installation, progress);
  if (!outcomes) return outcomes.error();
  if (outcomes->empty())
    return Error{ErrorCode::kNotFound, "nothing to import",
                 "a folder gives the .py files of its levelN folders, or the .py, .jsonl and "
                 ".parquet files that lie in it"};
  if (options.format == OutputFormat::kJson)
    print_json(import_json(options, *outcomes));
  else
    fmt::print("{}", import_text(*outcomes, standard_output(options.common)));
  if (count_outcomes(*outcomes).imported > 0) progress.note(kCheckedLater);
  return End{code_of(*outcomes), import_words(*outcomes, options.out)};
}

}  // namespace kbench
