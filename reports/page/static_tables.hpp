// The parts of the page that need no script: headline, ranking, tasks by agents, and what explains
// them. The script puts livelier tables in the place of the first ones. Each function returns
// finished HTML; all text passes HtmlWriter.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reports/page/page_model.hpp"

namespace kbench {

[[nodiscard]] std::string headline_html(const PageModel& page);
// The headline of a page of several runs: who is ahead on each.
[[nodiscard]] std::string headline_html(const std::vector<std::unique_ptr<PageModel>>& pages);
// "NVIDIA H200 · 2026-11-20 09:30 · run 5eed01234567"
[[nodiscard]] std::string run_words(const PageModel& page);
[[nodiscard]] std::string results_html(const PageModel& page);  // ranking and tasks
[[nodiscard]] std::string census_html(const PageModel& page);   // census of the submissions folder
[[nodiscard]] std::string fields_html();
[[nodiscard]] std::string verdicts_html();
[[nodiscard]] std::string states_html();

}  // namespace kbench
