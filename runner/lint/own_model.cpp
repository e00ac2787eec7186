#include "runner/lint/own_model.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

using Weight = LintFinding::Weight;

// Of a call, the shortest: whatever else the machine does makes calls longer.
std::optional<double> shortest_ns(const Evaluation& own, Side side) {
  std::optional<double> shortest;
  for (const Sample& sample : own.samples) {
    if (sample.side != side) continue;
    const double ns = static_cast<double>(sample.time_ns) / sample.calls;
    shortest = std::min(shortest.value_or(ns), ns);
  }
  return shortest;
}

std::optional<LintFinding> slow_graph(const Evaluation& own) {
  constexpr double kSurelySlower = 1.5;
  constexpr double kNoTimeNs = 20'000;  // of what takes so little the clock knows little
  const auto graph = shortest_ns(own, Side::kEager);
  const auto python = shortest_ns(own, Side::kSubmission);
  if (!graph || !python || *graph <= kSurelySlower * std::max(*python, 0.0) + kNoTimeNs)
    return std::nullopt;
  return LintFinding{Weight::kFlaw, std::string(kSlowGraph), "",
                     fmt::format("its graph takes {:.3g} ms, and the Python that it stands for "
                                 "{:.3g} ms",
                                 *graph * 1e-6, *python * 1e-6)};
}

}  // namespace

Result<std::vector<LintFinding>> findings_of(const Evaluation& own,
                                             const std::string& source_hash) {
  LintFinding finding{Weight::kNote, std::string(kAgainstPython), source_hash,
                      "its graph computes what its Python does"};
  if (own.correct.value_or(false)) {
    std::vector<LintFinding> findings{std::move(finding)};
    if (auto slow = slow_graph(own)) findings.push_back(std::move(*slow));
    return findings;
  }
  const std::string why = own.message.substr(0, own.message.find('\n'));
  if (fault_of(own.state) != Fault::kSubmission)
    return Error{ErrorCode::kInfrastructure,
                 "its graph could not be compared with its Python: " + why, own.hint};
  finding.weight = Weight::kFlaw;
  finding.message =
      own.state == State::kWrongResult
          ? "what the task's .py computes is not what its .json says: " + why
          : fmt::format("the task's .py cannot be played ({}): {}", to_string(own.state), why);
  return std::vector<LintFinding>{std::move(finding)};
}

}  // namespace kbench
