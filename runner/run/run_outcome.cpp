#include "runner/run/run_outcome.hpp"

#include <fmt/format.h>

namespace kbench {
namespace {

// Such rows look good in a table, and say nothing.
std::string busy_words(int rows) {
  if (rows == 0) return "";
  return fmt::format(
      "; {} without a verdict, because other programs kept the machine busy: run again without "
      "them, or compare two tries by `kbench compare --remeasure`",
      rows == 1 ? "1 row is" : fmt::format("{} rows are", rows));
}

}  // namespace

std::string summarize(const RunOutcome& outcome, const RunTerms& terms,
                      const std::string& reported) {
  if (outcome.nothing_selected) return outcome.nothing_selected->message;
  std::string saved =
      fmt::format("run {} saved in {}", short_id(outcome.run), terms.database.string());
  if (!reported.empty() && outcome.rows > 0) saved += fmt::format(", reported in {}", reported);
  if (outcome.lost)
    return fmt::format("{} ({}); {} left pending; {}", outcome.lost->message, outcome.lost->hint,
                       outcome.left_pending, saved);
  if (outcome.interrupted) return fmt::format("interrupted; {}; continue with --resume", saved);
  if (outcome.stopped)
    return fmt::format(
        "stopped after {} failed submission{}, {} row{} left pending; {}; continue with --resume",
        outcome.failures_here, outcome.failures_here == 1 ? "" : "s", outcome.left_pending,
        outcome.left_pending == 1 ? "" : "s", saved);
  if (!outcome.timed) saved += ", nothing timed";
  if (outcome.answered > 0)
    saved += fmt::format(", {} answered by other runs of {}", outcome.answered,
                         terms.exchange.value_or("").string());
  if (outcome.again > 0) saved += fmt::format(", {} again", outcome.again);
  const char* rows = outcome.rows == 1 ? "row" : "rows";
  const std::string failed =
      outcome.failed == 0 ? fmt::format("{} {}, none failed", outcome.rows, rows)
                          : fmt::format("{} of {} {} failed", outcome.failed, outcome.rows, rows);
  return fmt::format("{}; {}{}", failed, saved, busy_words(outcome.busy));
}

}  // namespace kbench
