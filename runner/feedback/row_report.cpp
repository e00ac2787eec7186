#include "runner/feedback/row_report.hpp"

#include <optional>

#include <fmt/format.h>

#include "reports/facts/model.hpp"

namespace kbench {
namespace {

std::string error_report(const Evaluation& row) {
  if (row.state == State::kOk && row.correct.value_or(false))
    return "It builds, and its results are right.";
  std::string text = fmt::format("{}: {}", to_string(row.state), row.message);
  if (!row.hint.empty()) text += "\n" + row.hint;
  return text;
}

std::string against(const char* baseline, const Timing& timing,
                    const std::optional<Speedup>& speedup) {
  if (!timing.median_ns || !speedup) return "";
  return fmt::format(
      "{} takes {:.4g} us: it takes {:.3g} times as long (95 %: {:.3g} to {:.3g}).\n", baseline,
      *timing.median_ns / 1000, speedup->estimate, speedup->low, speedup->high);
}

std::string profiler_report(const Evaluation& row) {
  const ResultRow derived = derive(row);
  if (!derived.submitted.median_ns)
    return "It was not timed: only what is right is timed to the end.";
  std::string text = fmt::format("A call takes {:.4g} us.\n", *derived.submitted.median_ns / 1000);
  text += against("PyTorch eager", derived.eager, derived.over_eager);
  text += against("The compiled baseline", derived.compiled, derived.over_compiled);
  if (const auto share = derived.share_of_limit(Side::kSubmission))
    text += fmt::format("It reaches {:.3g} % of what the device can do at most on this work.\n",
                        100 * *share);
  return text;
}

}  // namespace

std::string row_report(const Component& component, const Evaluation& row) {
  return component.name == "error" ? error_report(row) : profiler_report(row);
}

}  // namespace kbench
