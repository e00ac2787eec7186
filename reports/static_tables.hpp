// The parts of the page that need no script: headline, ranking, tasks by agents, and what explains
// them. The script puts livelier tables in the place of the first ones. Each function returns
// finished HTML; all text passes HtmlWriter.
#pragma once

#include <string>

#include "reports/page_model.hpp"

namespace kbench {

[[nodiscard]] std::string headline_html(const PageModel& page);
[[nodiscard]] std::string results_html(const PageModel& page);  // ranking and tasks
[[nodiscard]] std::string environment_html(const PageModel& page);
[[nodiscard]] std::string census_html(const PageModel& page);  // of the submissions folder
[[nodiscard]] std::string fields_html();
[[nodiscard]] std::string verdicts_html();
[[nodiscard]] std::string states_html();

}  // namespace kbench
