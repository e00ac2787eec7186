// Judges a task's graph by evaluations of the task's own Model, played as a Python submission.
// Pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Whether the graph takes longer than the Model, by the shortest call of each in any evaluation.
// Others on the machine make calls longer: more evaluations can clear a task, never accuse it.
[[nodiscard]] bool looks_slow(std::span<const Evaluation> own);

// One finding of the kind `kAgainstPython`, about the Python with that SHA-256, and one of the kind
// `kSlowGraph` where the graph surely takes longer than the Model. Errors: why it says nothing,
// such as a machine that was busy in every evaluation in which the graph looked slow.
[[nodiscard]] Result<std::vector<LintFinding>> findings_of(std::span<const Evaluation> own,
                                                           const std::string& source_hash);

}  // namespace kbench
