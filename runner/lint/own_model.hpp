// Judges a task's graph by an evaluation of the task's own Model, played as a Python submission.
// Pure functions.
#pragma once

#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// One finding of the kind `kAgainstPython`, about the Python with that SHA-256, and one of the kind
// `kSlowGraph` where the graph surely takes longer than the Model. Errors: why it says nothing.
[[nodiscard]] Result<std::vector<LintFinding>> findings_of(const Evaluation& own,
                                                           const std::string& source_hash);

}  // namespace kbench
