// The one JSON that the page's script reads. Rows are arrays in the order of `fields`, speed-ups in
// the order of `speedup_parts`; everything that refers to a row does so by its position.
// `only_task` is the task of a run of one submission, whose page has a verdict card and no ranking;
// else null. Foreign text passes sanitize_line or sanitize_text here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/page/page_model.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// Raised when the script would misread an older page's data.
inline constexpr int kPageSchemaVersion = 1;

[[nodiscard]] Json page_json(const PageModel& page);

// A ranking as JSON, agents best first:
//   [{"agent", "rank": [first, last], "tasks", "submitted", "correct",
//     "scores": {NAME: {"value"[, "low", "high"]}}}]
// A score that is not given is not offered by the page.
[[nodiscard]] Json ranking_json(std::span<const AgentScore> ranking);

// JSON that may stand inside a <script> element: nothing in it can end the element or begin a
// comment there.
[[nodiscard]] std::string for_script_element(const Json& json);

}  // namespace kbench
