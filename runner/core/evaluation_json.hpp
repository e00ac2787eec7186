// An evaluation as JSON and back, whole: between processes of one kbench, of which one measures and
// another stores. No format for people or for files: reports have their own, and the names here may
// change with every build. Numbers come back to the bit, infinities and NaN among them.
#pragma once

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

[[nodiscard]] Json evaluation_json(const Evaluation& evaluation);

// Errors: kBadInput, for a member that is missing or of another type, by its name.
[[nodiscard]] Result<Evaluation> evaluation_from_json(const Json& json);

// The id of a submission as JSON: requests have it on its own.
[[nodiscard]] Json submission_id_json(const SubmissionId& id);
[[nodiscard]] Result<SubmissionId> submission_id_from_json(const Json& json);

}  // namespace kbench
