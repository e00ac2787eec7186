// The samples of one evaluation as an inline SVG strip plot: one lane a side, within a lane one
// line a placement, a mark for each timed visit, a bar at the median. Used by the HTML report.
#pragma once

#include <span>

#include "reports/html_writer.hpp"
#include "runner/core/evaluation.hpp"

namespace kbench {

// Writes nothing for an evaluation without samples.
void write_strip_plot(HtmlWriter& html, std::span<const Sample> samples);

}  // namespace kbench
