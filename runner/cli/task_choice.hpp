// The tasks that the options of a `kbench tasks` command mean.
#pragma once

#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The tasks of --suite, or of the installation. Errors: those of list_tasks; kBadInput for a folder
// without any.
[[nodiscard]] Result<std::vector<TaskEntry>> tasks_of_suite(const CommonOptions& options,
                                                            const Installation& installation);

// The one task that the pattern names, read completely. Errors: kNotFound, kUsage for
// several.
[[nodiscard]] Result<Task> find_task(const TasksOptions& options, const Installation& installation);

}  // namespace kbench
