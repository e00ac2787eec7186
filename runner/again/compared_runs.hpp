// Two stored runs that are held against each other: which two are meant, whether they can be, and
// their rows measured once more, in pairs. Prints nothing, and knows no exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/over_time/compare.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/store/store.hpp"

namespace kbench {

struct ComparedRuns {
  ReportData before;
  ReportData after;
};

// Names of store/run_name.hpp. Without `before`, the run before the other one on its device: of
// tries of one file the last correct one, else the last. Errors: kNotFound; kUsage, the
// same run twice, two shards of one, or a run of which nothing was timed.
[[nodiscard]] Result<ComparedRuns> find_compared(const Store& store,
                                                 const std::optional<std::string>& before,
                                                 const std::string& after);

// kUsage, with what differs.
[[nodiscard]] Error refusal(const ComparedRuns& runs, const std::vector<Difference>& differences);

struct PairedMeasuring {
  int pairs = 3;
  std::filesystem::path database;  // database of the runs
  // Folders of the runs' sources; else where they are found (run_sources.hpp).
  std::optional<std::filesystem::path> submissions_before;
  std::optional<std::filesystem::path> submissions_after;
};

// Measures the rows that are correct in both runs, and of which both sources are to be had, and
// judges by these pairs instead. What could not be measured becomes a caution of the comparison.
// `note` is told of each pair. Errors: those of Remeasurement::measure.
Status remeasure(Comparison& comparison, const PairedMeasuring& how, BenchSource& benches,
                 RunSink& sink, const std::function<void(const std::string&)>& note);

}  // namespace kbench
