// The findings of a feedback study as text for a terminal. The first lines answer in words which
// component to keep; what went wrong stands above them.
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "runner/attribution/analysis.hpp"

namespace kbench {

[[nodiscard]] std::string render_attribution(const Attribution& found, const TableStyle& style);

}  // namespace kbench
