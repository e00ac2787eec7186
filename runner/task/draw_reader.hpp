// Reads how a tensor's values are drawn: the "draw" and "kernelbench" objects of suites/FORMAT.md.
// Structured values that the file writes as a rule ("affine", "blocks", a triangle of another value
// than 1) are worked out here, so that all code behind it knows them as Draw::Kind::kData. A
// complaint goes to the field's Complaints; the result is then harmless.
#pragma once

#include "runner/task/json_field.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// `tensor` has its dtype and shape; a draw that they cannot hold is complained about.
[[nodiscard]] Draw read_draw(const JsonField& field, const TensorSpec& tensor);

}  // namespace kbench
