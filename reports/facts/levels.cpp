#include "reports/facts/levels.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbench {

Status keep_levels(ReportData& data, const std::vector<int>& levels) {
  data.levels = levels;
  std::set<int> there;
  for (const Evaluation& evaluation : data.evaluations) there.insert(evaluation.level);
  std::erase_if(data.evaluations,
                [&](const Evaluation& evaluation) { return !shows_task(data, evaluation.task); });
  if (data.night)
    std::erase_if(*data.night,
                  [&](const NightFinding& finding) { return !shows_task(data, finding.task); });
  if (levels.empty() || !data.evaluations.empty()) return Done{};
  return Error{ErrorCode::kNotFound,
               fmt::format("the run has no row of level {}", fmt::join(levels, ", ")),
               there.empty() ? "it has no row at all"
                             : fmt::format("it has rows of level {}", fmt::join(there, ", "))};
}

bool shows_task(const ReportData& data, const std::string& task) {
  return data.levels.empty() || std::any_of(data.levels.begin(), data.levels.end(), [&](int level) {
           return task.starts_with(fmt::format("level{}/", level));
         });
}

}  // namespace kbench
