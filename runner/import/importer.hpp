// `kbench import` without its command line: foreign sources in, a suite folder out. Each task is
// written as DIR/levelN/NNN_name.py (the source as it was) and .json (its lowered form, read back
// and checked like any task file).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/import/lower_files.hpp"
#include "runner/import/sources.hpp"

namespace kbench {

struct ImportRequest {
  std::vector<ImportSource> sources;
  std::filesystem::path suite;  // made where it is missing
  int default_level = 1;
};

// How one source ended.
struct ImportOutcome {
  enum class State { kImported, kReplaced, kUnchanged, kFailed, kInterrupted };

  std::string where;  // place as in ImportSource
  std::string task;   // "level1/019_relu"
  State state = State::kInterrupted;
  std::string note;  // guesses about its values; empty when nothing was guessed
  std::optional<ImportError> error;
};

// One outcome for each source, in their order; `on_done` is called from this thread as they come.
// Errors: kInfrastructure when no Python can be started or the suite cannot be written, kBadInput
// when what is in the suite cannot be read.
[[nodiscard]] Result<std::vector<ImportOutcome>> import_tasks(
    Sandbox& sandbox, const LoweringSetup& setup, const ImportRequest& request,
    const LoweringOptions& options,
    const std::function<void(std::size_t index, const ImportOutcome&)>& on_done);

}  // namespace kbench
