#include "runner/cli/run_end.hpp"

#include <fmt/format.h>

namespace kbench {
namespace {

ExitCode code_of_failures(const RunOutcome& outcome, bool exit_zero) {
  if (outcome.ours > 0) return ExitCode::kInfrastructure;
  return exit_zero ? ExitCode::kGood : ExitCode::kTaskFailed;
}

RunEnd end_of_whole_run(const RunOutcome& outcome, bool exit_zero, const std::string& saved) {
  const char* rows = outcome.rows == 1 ? "row" : "rows";
  const int mistaken = outcome.mistaken_files;
  const bool all_good = outcome.failed == 0 && mistaken == 0;
  RunEnd end{all_good ? ExitCode::kGood : code_of_failures(outcome, exit_zero), {}};
  end.summary =
      outcome.failed == 0
          ? fmt::format("{} {}, none failed; {}", outcome.rows, rows, saved)
          : fmt::format("{} of {} {} failed; {}", outcome.failed, outcome.rows, rows, saved);
  if (mistaken == 0) return end;
  const std::string told =
      end.code == ExitCode::kGood ? "" : fmt::format(" (exit code {})", to_int(end.code));
  end.summary = fmt::format("{} file{} that look{} like a submission ignored{}; {}", mistaken,
                            mistaken == 1 ? "" : "s", mistaken == 1 ? "s" : "", told, end.summary);
  return end;
}

}  // namespace

RunEnd end_of_run(const RunOutcome& outcome, const RunTerms& terms, bool exit_zero,
                  const std::string& reported) {
  if (!outcome.nothing_selected.empty())
    return {ExitCode::kNothingSelected, outcome.nothing_selected};
  std::string saved =
      fmt::format("run {} saved in {}", short_id(outcome.run), terms.database.string());
  if (!reported.empty()) saved += fmt::format(", reported in {}", reported);
  if (outcome.lost)
    return {ExitCode::kInfrastructure,
            fmt::format("{} ({}); {} left pending; {}", outcome.lost->message, outcome.lost->hint,
                        outcome.left_pending, saved)};
  if (outcome.interrupted)
    return {ExitCode::kInterrupted, fmt::format("interrupted; {}; continue with --resume", saved)};
  if (outcome.stopped)
    return {code_of_failures(outcome, exit_zero),
            fmt::format("stopped after {} failed submission{}, {} row{} left pending; {}; continue "
                        "with --resume",
                        outcome.failures_here, outcome.failures_here == 1 ? "" : "s",
                        outcome.left_pending, outcome.left_pending == 1 ? "" : "s", saved)};
  if (!outcome.timed) saved += ", nothing timed";
  return end_of_whole_run(outcome, exit_zero, saved);
}

}  // namespace kbench
