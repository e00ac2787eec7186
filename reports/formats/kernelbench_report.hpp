// A run as KernelBench keeps its evaluations: the eval_results.json of one level, which its
// analysis reads (scripts/eval_from_generations.py and benchmark_eval_analysis.py of its commit
// 423217d). An object with an entry for each problem, by its number: a list with an object for each
// sample.
//
//   sample_id      of variants "sample_N", N; of others the next one that is free
//   compiled       whether it could be loaded: compiled, imported, with its ModelNew
//   correctness    whether the row counts as correct here
//   metadata       hardware, device, what went wrong; `kbench` has what the row is called here
//   runtime        milliseconds of a call, the median of this row; -1 where it is not correct
//   runtime_stats  mean, std, min, max and num_trials of its samples, in milliseconds
//
// What was not evaluated (skipped, refused, a fault of kbench's or the machine's) has no entry, as
// there.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench {

[[nodiscard]] std::string render_kernelbench(const ReportData& data);

}  // namespace kbench
