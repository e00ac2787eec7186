// A stored row evaluated once more: the run that asks for that row alone, as its run was told, and
// whether what came of it is the same evaluation. Prints nothing, and knows no exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/again/stored_row.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_request.hpp"

namespace kbench {

// The request for that row; its sources are written into `scratch`, an empty folder that outlives
// the run. `suite`: in place of the one that the row's run had. Errors: kBadInput, a task that no
// suite can have; kUsage, a suite that is no folder here; those of write_stored_sources.
[[nodiscard]] Result<RunRequest> reproducing_request(
    const StoredRow& row, const std::optional<std::filesystem::path>& suite,
    const std::filesystem::path& scratch);

// Whether a row of the new run is the same evaluation, by its key, and else what changed, as words;
// empty without a row.
[[nodiscard]] std::string reproduction_words(const StoredRow& row, const Run& run,
                                             const std::vector<Evaluation>& rows);

}  // namespace kbench
