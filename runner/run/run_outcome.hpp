// How a run came to its end, as facts and as one line for people. Exit codes are the command line's
// (cli/outcome.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/run/run_terms.hpp"

namespace kbench {

struct RunOutcome {
  std::optional<Error> nothing_selected;  // reason why there is no run; the rest is then empty
  Run run;
  // Rows of the run, those that were there when it was resumed among them.
  int rows = 0;
  int failed = 0;
  int ours = 0;                  // failed rows that are the fault of kbench or the machine
  int busy = 0;                  // rows that a busy machine kept from a verdict
  int answered = 0;              // rows that another run of the exchange had measured already
  int again = 0;                 // rows that another run measured at the same time
  int mistaken_files = 0;        // files that look like submissions, and were not evaluated
  bool timed = true;             // false: a run of checks only
  bool interrupted = false;      // Ctrl-C or `stop`; --resume goes on, as with the next two
  bool stopped = false;          // the limit of failures was reached
  std::optional<Error> lost;     // error by which the device was lost; empty: it was not
  int failures_here = 0;         // failed rows that this call stored
  std::size_t left_pending = 0;  // units not evaluated, because of `stopped` or `lost`

  // Whether no row is missing, or failed by a fault of kbench or the machine. Submissions may have
  // failed.
  [[nodiscard]] bool is_complete() const {
    return !nothing_selected && !interrupted && !lost && ours == 0;
  }
};

// The outcome in one line, without `mistaken_files`. `reported`: the files with reports of the run,
// "results.csv, page.html".
[[nodiscard]] std::string summarize(const RunOutcome& outcome, const RunTerms& terms,
                                    const std::string& reported = "");

}  // namespace kbench
