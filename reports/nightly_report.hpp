// What a nightly run found, for people: which runs it was held against, what was suspected, and
// what of that was confirmed or cleared by measuring again. What other reports say of it comes from
// findings_of (nightly.hpp).
#pragma once

#include <string>

#include "reports/nightly.hpp"
#include "reports/text_table.hpp"

namespace kbench {

[[nodiscard]] std::string render_night(const Night& night, const TableStyle& style);

// "compared 250, suspected 3: 1 confirmed, 2 cleared".
[[nodiscard]] std::string night_summary(const Night& night);

}  // namespace kbench
