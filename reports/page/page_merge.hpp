// Pages of several runs as the data of one: each board keeps to its run, and rows are counted on,
// so that the page has a tab for each and ranks nothing across.
#pragma once

#include <string>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

// One page's data and the name of its tab.
struct RunPage {
  Json data;         // page_json
  std::string name;  // "NVIDIA H200 · 2026-11-20 09:30 · 5eed01234567"
};

// One page of several runs, at least one. A board has the series of its run's trend, and in
// "trend_of" the runs that these are of. Verdict cards are of a page of one run alone.
[[nodiscard]] Json merge_pages(std::vector<RunPage> pages);

}  // namespace kbench
