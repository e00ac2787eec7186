// Findings of a study of feedback as one self-contained page that opens from disk and loads
// nothing: the first lines of the console, the effects as a chart, and all tables. It is all there
// without a script.
#pragma once

#include <string>

#include "runner/attribution/analysis.hpp"

namespace kbench {

// `source` is what the page calls the file of cells.
[[nodiscard]] std::string render_attribution_page(const Attribution& found,
                                                  const std::string& source);

}  // namespace kbench
