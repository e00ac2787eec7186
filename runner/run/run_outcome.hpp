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
  std::string nothing_selected;  // why; then there is no run, and the rest is empty
  Run run;
  // Rows of the run, those that were there when it was resumed among them.
  int rows = 0;
  int failed = 0;
  int ours = 0;                  // of these: our fault or the machine's
  int answered = 0;              // of these: that another run of the exchange had answered before
  int again = 0;                 // of these: that another run answered meanwhile
  int mistaken_files = 0;        // that look like submissions, and were not evaluated
  bool timed = true;             // its rows are
  bool interrupted = false;      // by Ctrl-C or `stop`; --resume goes on, as with the next two
  bool stopped = false;          // after so many failures
  std::optional<Error> lost;     // the device; it did not come back
  int failures_here = 0;         // that this call stored
  std::size_t left_pending = 0;  // units, because of `stopped` or `lost`

  // Whether no row is missing, or failed by a fault of kbench or the machine. Submissions may have
  // failed.
  [[nodiscard]] bool is_complete() const {
    return nothing_selected.empty() && !interrupted && !lost && ours == 0;
  }
};

// The outcome in one line, without `mistaken_files`. `reported`: the files with reports of the run,
// "results.csv, page.html".
[[nodiscard]] std::string summarize(const RunOutcome& outcome, const RunTerms& terms,
                                    const std::string& reported = "");

}  // namespace kbench
