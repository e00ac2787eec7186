#include "runner/plan/one_row.hpp"

#include <fmt/format.h>

#include "runner/plan/task_choice.hpp"

namespace kbench {

Status check_played(const PlannedRow& row) {
  if (row.ends_as) return Error{ErrorCode::kUsage, row.message, row.hint};
  return Done{};
}

Result<Plan> plan_one_row(const RunRequest& request, const Installation& installation,
                          std::string_view verb) {
  auto plan = make_plan(request, installation);
  if (!plan && request.tasks.empty() && request.file &&
      plan.error().message.ends_with(kNameMatchesNone))
    return Error{plan.error().code, plan.error().message,
                 fmt::format("say the task: kbench {} FILE --task TASK", verb)};
  if (!plan) return plan;
  if (plan->nothing_selected) return *plan->nothing_selected;
  if (plan->units.size() != 1)
    return Error{ErrorCode::kUsage,
                 fmt::format("{} things to {} are meant, and one can be", plan->units.size(), verb),
                 "name one task and one submission"};
  const PlannedRow& row = plan->units.front();
  if (auto played = check_played(row); !played) return played.error();
  if (plan->tasks[row.task].find_size(plan->target.size) == nullptr)
    return Error{ErrorCode::kNotFound,
                 plan->tasks[row.task].id + " has no size " + plan->target.size,
                 "`kbench tasks show` lists its sizes"};
  return plan;
}

}  // namespace kbench
