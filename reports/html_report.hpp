// A run as one self-contained page: opens from disk, loads nothing, reads without JavaScript (which
// only adds sorting). Ranking, task by agent table, a section for each task, and an explanation of
// every number from the field table. Called by `kbench report html`.
#pragma once

#include <string>

#include "reports/model.hpp"

namespace kbench {

[[nodiscard]] std::string render_html(const ReportData& data);

}  // namespace kbench
