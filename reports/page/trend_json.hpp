// The trend as the page's script reads it.
#pragma once

#include "reports/page/page_model.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// {"runs": [[id, started_at, tags, commit]], "older": runs that the bounds left out}, oldest first.
[[nodiscard]] Json trend_runs_json(const Trend& trend);

// The series of one board: [{"task", "agent", both positions on the board, "points": [[run,
// estimate, low, high] or [run, state]], "unsure": points without a verdict, "renewed": those from
// which on the task file is another, "changes": [[point, level before, after]]}].
[[nodiscard]] Json trend_series_json(const Trend& trend, const PageBoard& board);

}  // namespace kbench
