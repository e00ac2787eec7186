// An import of foreign files into a suite from start to end: finds them, lowers them in a pool of
// sandboxed Pythons, and keeps those that are sound. Prints nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/import/importer.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

struct SuiteImport {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path out;   // the suite; made where it is missing
  std::string mode = "train";  // "train" (batch statistics) or "eval" (running statistics)
  int level = 1;               // default for sources that do not tell theirs
  int jobs = 0;                // 0: one for each processor
  int timeout_s = 120;         // processor time of one file
  int memory_gib = 12;         // address space of one file
};

[[nodiscard]] std::string_view to_string(ImportOutcome::State state);  // "imported"

// An outcome for each source; none where there is nothing to import. After Ctrl-C those that are
// left are kInterrupted. Errors: kInfrastructure, no Python with torch; those of find_sources.
[[nodiscard]] Result<std::vector<ImportOutcome>> import_suite(const SuiteImport& request,
                                                              const Installation& installation,
                                                              ProgressSink& progress);

}  // namespace kbench
