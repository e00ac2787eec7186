// The findings of a lint as JSON.
#pragma once

#include <vector>

#include "runner/core/json.hpp"
#include "runner/lint/lint_session.hpp"

namespace kbench {

// {schema_version, tasks[]}, in the order of the rows.
[[nodiscard]] Json lint_json(const std::vector<LintRow>& rows);

}  // namespace kbench
