// A run's episodes on the page: turn by turn, the calls and their answers. Every text is a model's,
// or a tool's that it asked; all of them pass sanitize_line or sanitize_text here, and what is too
// long is cut and says so.
#pragma once

#include <string>

#include "reports/page/page_model.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// [{"id", "task", "size", "device", "model", "stop", "started_at", "reward", "row", "count",
//   "tokens", "command", "turns": [{"said", "tokens", "seconds", "compacted", "invalid",
//   "calls": [{"tool", "arguments", "result", "error", "tree", "state", "row"}]}]}]
// A row is its position among the page's rows; null where there is none. A text that the page has
// no room for is null.
[[nodiscard]] Json page_episodes_json(const PageModel& page);

// A table of them, for readers without a script; empty where there are none.
[[nodiscard]] std::string episodes_html(const PageModel& page);

}  // namespace kbench
