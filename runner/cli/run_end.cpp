#include "runner/cli/run_end.hpp"

#include <fmt/format.h>

namespace kbench {
namespace {

ExitCode code_of_failures(const RunOutcome& outcome, bool exit_zero) {
  if (outcome.ours > 0) return ExitCode::kInfrastructure;
  return exit_zero ? ExitCode::kGood : ExitCode::kTaskFailed;
}

ExitCode code_of(const RunOutcome& outcome, bool exit_zero) {
  if (!outcome.nothing_selected.empty()) return ExitCode::kNothingSelected;
  if (outcome.lost) return ExitCode::kInfrastructure;
  if (outcome.interrupted) return ExitCode::kInterrupted;
  const bool all_good = outcome.failed == 0 && outcome.mistaken_files == 0 && !outcome.stopped;
  return all_good ? ExitCode::kGood : code_of_failures(outcome, exit_zero);
}

}  // namespace

End end_of_run(const RunOutcome& outcome, const RunTerms& terms, bool exit_zero,
               const std::string& reported) {
  End end{code_of(outcome, exit_zero), summarize(outcome, terms, reported)};
  const int mistaken = outcome.mistaken_files;
  if (mistaken == 0 || outcome.lost || outcome.interrupted || outcome.stopped) return end;
  const std::string told =
      end.code == ExitCode::kGood ? "" : fmt::format(" (exit code {})", to_int(end.code));
  end.summary = fmt::format("{} file{} that look{} like a submission ignored{}; {}", mistaken,
                            mistaken == 1 ? "" : "s", mistaken == 1 ? "s" : "", told, end.summary);
  return end;
}

}  // namespace kbench
