#include "runner/lint/own_model.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

using Weight = LintFinding::Weight;

// Time of the shortest call: whatever else the machine does makes calls longer.
std::optional<double> shortest_ns(std::span<const Evaluation> own, Side side) {
  std::optional<double> shortest;
  for (const Evaluation& evaluation : own) {
    for (const Sample& sample : evaluation.samples) {
      if (sample.side != side) continue;
      const double ns = static_cast<double>(sample.time_ns) / sample.calls;
      shortest = std::min(shortest.value_or(ns), ns);
    }
  }
  return shortest;
}

struct SlowGraph {
  double graph_ns = 0;
  double python_ns = 0;

  [[nodiscard]] std::string words() const {
    return fmt::format("its graph takes {:.3g} ms, and the Python that it stands for {:.3g} ms",
                       graph_ns * 1e-6, python_ns * 1e-6);
  }
};

std::optional<SlowGraph> slow_graph(std::span<const Evaluation> own) {
  constexpr double kSurelySlower = 1.5;
  constexpr double kNoTimeNs = 20'000;  // the clock says little about shorter times
  const auto graph = shortest_ns(own, Side::kEager);
  const auto python = shortest_ns(own, Side::kSubmission);
  if (!graph || !python || *graph <= kSurelySlower * std::max(*python, 0.0) + kNoTimeNs)
    return std::nullopt;
  return SlowGraph{*graph, *python};
}

Error not_compared(const std::string& why, const std::string& hint) {
  return Error{ErrorCode::kInfrastructure,
               "its graph could not be compared with its Python: " + why, hint};
}

Result<std::vector<LintFinding>> findings_of_times(std::span<const Evaluation> own,
                                                   LintFinding agrees) {
  std::vector<LintFinding> findings{std::move(agrees)};
  const auto slow = slow_graph(own);
  if (!slow) return findings;
  if (std::all_of(own.begin(), own.end(), machine_was_busy))
    return not_compared("the machine was busy, and " + slow->words(),
                        "run it again while no other program works");
  findings.push_back({Weight::kFlaw, std::string(kSlowGraph), "", slow->words()});
  return findings;
}

}  // namespace

bool looks_slow(std::span<const Evaluation> own) { return slow_graph(own).has_value(); }

Result<std::vector<LintFinding>> findings_of(std::span<const Evaluation> all,
                                             const std::string& source_hash) {
  LintFinding finding{Weight::kNote, std::string(kAgainstPython), source_hash,
                      "its graph computes what its Python does"};
  const auto refused = std::find_if(all.begin(), all.end(), [](const Evaluation& evaluation) {
    return !evaluation.correct.value_or(false);
  });
  if (refused == all.end()) return findings_of_times(all, std::move(finding));
  const Evaluation& own = *refused;
  const std::string why = first_line(own.message);
  if (fault_of(own.state) != Fault::kSubmission) return not_compared(why, own.hint);
  finding.weight = Weight::kFlaw;
  finding.message =
      own.state == State::kWrongResult
          ? "what the task's .py computes is not what its .json says: " + why
          : fmt::format("the task's .py cannot be played ({}): {}", to_string(own.state), why);
  return std::vector<LintFinding>{std::move(finding)};
}

}  // namespace kbench
