#include "runner/cli/outcome.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "reports/facts/json_text.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/print/cautions.hpp"

namespace kbench {
namespace {

// A last line says the code that the command ends with, once.
std::string code_unless_said(ExitCode code, const std::string& text) {
  const bool is_said = code == ExitCode::kGood || text.find("(exit code ") != text.npos;
  return is_said ? "" : fmt::format(" (exit code {})", to_int(code));
}

ExitCode code_of_failures(const RunOutcome& outcome, bool exit_zero) {
  if (outcome.ours > 0) return ExitCode::kInfrastructure;
  return exit_zero ? ExitCode::kGood : ExitCode::kTaskFailed;
}

ExitCode code_of(const RunOutcome& outcome, bool exit_zero) {
  if (outcome.nothing_selected) return ExitCode::kNothingSelected;
  if (outcome.lost) return ExitCode::kInfrastructure;
  if (outcome.interrupted) return ExitCode::kInterrupted;
  const bool all_good = outcome.failed == 0 && outcome.mistaken_files == 0 && !outcome.stopped;
  return all_good ? ExitCode::kGood : code_of_failures(outcome, exit_zero);
}

}  // namespace

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput: return ExitCode::kUsage;
    case ErrorCode::kNotFound: return ExitCode::kNothingSelected;
    case ErrorCode::kSubmission: return ExitCode::kTaskFailed;
    case ErrorCode::kInterrupted: return ExitCode::kInterrupted;
    case ErrorCode::kDoesNotFit:
    case ErrorCode::kTimeout:
    case ErrorCode::kInfrastructure: return ExitCode::kInfrastructure;
  }
  return ExitCode::kInfrastructure;
}

std::string describe(ExitCode code) {
  switch (code) {
    case ExitCode::kGood: return "done";
    case ExitCode::kTaskFailed: return "a submission failed";
    case ExitCode::kUsage: return "usage error";
    case ExitCode::kInfrastructure: return "failed through kbench's own or the machine's fault";
    case ExitCode::kRegression: return "a regression was found";
    case ExitCode::kNothingSelected: return "nothing was selected";
    case ExitCode::kInterrupted: return "interrupted";
  }
  return "unknown outcome";
}

void print_error_json(const Error& error) {
  const ExitCode code = exit_code_of(error.code);
  // On one line, which is JSON lines as well.
  fmt::print("{}\n", json_text({{"schema_version", 1},
                                {"error", {{"message", error.message}, {"hint", error.hint}}},
                                {"outcome", describe(code)},
                                {"exit_code", to_int(code)}}));
}

int fail(const Error& error, const Terminal& terminal, std::FILE* stream) {
  const auto code = exit_code_of(error.code);
  print_labelled(stream, terminal.paint(Color::kRed, "error:"), error.message);
  print_labelled(stream, terminal.paint(Color::kCyan, "hint: "), error.hint);
  return finish(code, describe(code), 0, stream);
}

int finish(ExitCode code, const std::string& text, int verbosity, std::FILE* stream) {
  // Results that never reached the disk or the pipe are not results.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    std::clearerr(stdout);  // it is said once
    return fail({ErrorCode::kInfrastructure, "standard output cannot be written" + reason,
                 "make room where it goes to, or send it elsewhere"},
                Terminal{}, stream);
  }
  if (code != ExitCode::kGood || verbosity >= 0)
    fmt::print(stream, "kbench: {}{}\n", printable(text), code_unless_said(code, text));
  return to_int(code);
}

End end_of_run(const RunOutcome& outcome, const RunTerms& terms, bool exit_zero,
               const std::string& reported) {
  End end{code_of(outcome, exit_zero), summarize(outcome, terms, reported)};
  const int mistaken = outcome.mistaken_files;
  if (mistaken == 0 || outcome.lost || outcome.interrupted || outcome.stopped) return end;
  end.summary += fmt::format("; {} file{} that look{} like a submission ignored", mistaken,
                             mistaken == 1 ? "" : "s", mistaken == 1 ? "s" : "");
  return end;
}

}  // namespace kbench
