// The report of a nightly run, for people: which runs it was held against, which rows were
// suspected, and which of these were confirmed or cleared by measuring again. Other reports have
// their findings from findings_of (nightly.hpp).
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "reports/over_time/nightly.hpp"

namespace kbench {

[[nodiscard]] std::string render_night(const Night& night, const TableStyle& style);

// "compared 250, suspected 3: 1 confirmed, 2 cleared".
[[nodiscard]] std::string night_summary(const Night& night);

}  // namespace kbench
