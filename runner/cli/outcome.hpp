// How a command ends: which exit code an error or a run's outcome means, and the last line on
// standard error, which says in words how it went.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "runner/cli/exit_codes.hpp"
#include "runner/core/result.hpp"
#include "runner/options/terminal.hpp"
#include "runner/run/run_outcome.hpp"

namespace kbench {

// How a command ended: the exit code, and the last line, which says in words how it went. A good
// one may have no words.
struct End {
  ExitCode code = ExitCode::kGood;
  std::string summary;
};

[[nodiscard]] inline End good(std::string summary = "") {
  return {ExitCode::kGood, std::move(summary)};
}

// kNotFound is a task, agent, run or tag that is none of those there are; a file that is not there
// makes no sense on a command line, and is kUsage.
[[nodiscard]] ExitCode exit_code_of(ErrorCode code);

// "usage error", "a task failed", ...
[[nodiscard]] std::string describe(ExitCode code);

// Prints the error as JSON on standard output, for a program that reads a report there.
void print_error_json(const Error& error);

// Prints "error: ...", "hint: ..." and the outcome line; returns the exit status.
int fail(const Error& error, const Terminal& terminal, std::FILE* stream = stderr);

// Flushes standard output, so that results stand before the last line, and prints the outcome line
// "kbench: TEXT" (left out when quiet and good); returns the exit status. Where standard output
// cannot take what was written to it, that is said instead (kInfrastructure). `text` may hold what
// the user typed or a file says: it is cleaned here.
int finish(ExitCode code, const std::string& text, int verbosity, std::FILE* stream = stderr);

// How a run ended, for the user who typed it. `exit_zero`: failures of submissions are in the rows
// alone. `reported`: the files that tell of the run, "results.csv, page.html".
[[nodiscard]] End end_of_run(const RunOutcome& outcome, const RunTerms& terms,
                             bool exit_zero = false, const std::string& reported = "");

}  // namespace kbench
