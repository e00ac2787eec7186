#include "reports/over_time/joined_runs.hpp"

#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "reports/over_time/compare.hpp"

namespace kbench {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;

Key key_of(const Evaluation& evaluation) {
  return {evaluation.task, evaluation.size,
          evaluation.submission ? evaluation.submission->agent : ""};
}

Status check_comparable(const ReportData& a, const ReportData& b) {
  const std::vector<Difference> differences = incomparable(a, b);
  if (differences.empty()) return Done{};
  const Difference& first = differences.front();
  return Error{ErrorCode::kUsage,
               fmt::format("runs {} and {} cannot stand in one table: their {} is {} and {}",
                           short_id(a.run), short_id(b.run), first.what,
                           sanitize_line(first.before), sanitize_line(first.after)),
               "take runs of one device, size, precision class and profile"};
}

}  // namespace

Result<ReportData> join_runs(std::vector<ReportData> runs) {
  ReportData joined = std::move(runs.front());
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (auto fine = check_comparable(joined, runs[i]); !fine) return fine.error();
    if (runs[i].chain.state == ChainFinding::State::kChanged)
      joined.chain = std::move(runs[i].chain);
    std::set<Key> replaced;
    for (const Evaluation& evaluation : runs[i].evaluations) replaced.insert(key_of(evaluation));
    std::erase_if(joined.evaluations,
                  [&](const Evaluation& old) { return replaced.contains(key_of(old)); });
    std::move(runs[i].evaluations.begin(), runs[i].evaluations.end(),
              std::back_inserter(joined.evaluations));
  }
  if (runs.size() > 1) joined.night.reset();  // it was of the first run's rows
  return joined;
}

}  // namespace kbench
