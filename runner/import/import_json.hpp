// The outcomes of an import as JSON.
#pragma once

#include <vector>

#include "runner/core/json.hpp"
#include "runner/import/import_session.hpp"

namespace kbench {

// {schema_version, suite, mode, results[]}; a result is {source, task, state, note, error}, an
// error {line, what, fault, hint}, with null where there is none.
[[nodiscard]] Json import_json(const SuiteImport& request,
                               const std::vector<ImportOutcome>& outcomes);

}  // namespace kbench
