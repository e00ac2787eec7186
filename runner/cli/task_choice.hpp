// Which task, and which of its sizes, the options of a `kbench tasks` command mean.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/cli/installation.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
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

// All sizes, or the named one. Errors: kUsage. The pointers live as long as the task.
[[nodiscard]] Result<std::vector<const TaskSize*>> find_sizes(
    const Task& task, const std::optional<std::string>& name);

// The named size; where none is named, the preferred one, or the one that there is.
[[nodiscard]] Result<const TaskSize*> choose_size(const Task& task,
                                                  const std::optional<std::string>& name,
                                                  const std::string& preferred);

}  // namespace kbench
