// A file of cells from anybody: read, analysed, printed.
#include <string_view>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "runner/attribution/analysis.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cells = kbench::parse_cells(text, "cells");
  if (!cells) return 0;
  const auto found = kbench::analyze(*cells, {{}, {}, {"stratum", "generation", "task"}});
  if (!found) return 0;
  (void)kbench::render_attribution(*found, {});
  (void)kbench::attribution_json(*found).dump();
  return 0;
}
