// A run as Google Benchmark writes one with --benchmark_format=json, for what reads that: its
// tools/compare.py, dashboards, regression services. One benchmark for each submission, and one for
// each baseline of a task without any; speed-ups and their intervals are counters. A submission
// that has no time is an error there.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench {

[[nodiscard]] std::string render_google_benchmark(const ReportData& data);

}  // namespace kbench
