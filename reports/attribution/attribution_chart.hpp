// Estimates as dots with whiskers in SVG, in the classes of reports/page/assets/page.css. An
// estimate without an interval is a dot alone; one that only has a bound is a whisker without a
// dot.
#pragma once

#include <string>
#include <vector>

#include "runner/attribution/estimate.hpp"

namespace kbench {

class HtmlWriter;

// The axis that estimates share: 0, what counts as a small effect, and all their ends are on it.
struct EstimateAxis {
  double low = 0;
  double high = 0;
};

[[nodiscard]] EstimateAxis axis_of(const std::vector<Estimate>& estimates);

struct ChartRow {
  std::string name;  // cut where its numbers need the room
  std::string word;  // the word behind the name, never cut
  Estimate estimate;
};

// An estimate a row, its name and numbers above its whisker, and the axis below all; as narrow as a
// phone. `name` is what a screen reader says of it.
void write_estimate_chart(HtmlWriter& html, const std::string& name,
                          const std::vector<ChartRow>& rows);

// One estimate for a cell of a table whose other cells have the numbers; screen readers skip it.
void write_estimate_mark(HtmlWriter& html, const Estimate& estimate, const EstimateAxis& axis);

}  // namespace kbench
