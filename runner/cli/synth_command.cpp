#include "runner/cli/synth_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "runner/cli/outcome.hpp"
#include "runner/cli/progress.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/synthesis/synth_session.hpp"
#include "runner/synthesis/synthesis_manifest.hpp"

namespace kbench {
namespace {

void print_table(const SynthOutcome& outcome) {
  fmt::print("{:>6}  kept\n", outcome.kept);
  for (const auto& [fault, count] : count_faults(outcome.records))
    if (count > 0) fmt::print("{:>6}  {}: {}\n", count, to_string(fault), describe(fault));
  const auto labelled =
      std::count_if(outcome.records.begin(), outcome.records.end(),
                    [](const CandidateRecord& r) { return r.kept() && !r.similar_to.empty(); });
  if (labelled > 0) fmt::print("{:>6}  of those kept are like a held-out task\n", labelled);
}

}  // namespace

int synth_command(const SynthOptions& options, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  Progress progress(stderr, terminal, options.common.verbosity);
  const auto outcome = synthesize(options, installation, progress);
  if (!outcome) return fail(outcome.error(), terminal);
  if (options.format == OutputFormat::kJson) {
    fmt::print("{}", outcome->manifest);
  } else {
    print_table(*outcome);
  }
  const std::string summary = fmt::format("{} of {} candidates are tasks of {}", outcome->kept,
                                          outcome->records.size(), printable(options.out.string()));
  const int verbosity = options.common.verbosity;
  if (outcome->interrupted)
    return finish(ExitCode::kInterrupted, summary + "; interrupted, --resume goes on from there",
                  verbosity);
  return finish(outcome->kept > 0 ? ExitCode::kGood : ExitCode::kNothingSelected, summary,
                verbosity);
}

}  // namespace kbench
