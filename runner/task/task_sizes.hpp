// The sizes of a task that are meant by a name, or without one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// All sizes, or the named one. Errors: kUsage. The pointers live as long as the task.
[[nodiscard]] Result<std::vector<const TaskSize*>> find_sizes(
    const Task& task, const std::optional<std::string>& name);

// The named size; where none is named, the preferred one, or the one that there is.
[[nodiscard]] Result<const TaskSize*> choose_size(const Task& task,
                                                  const std::optional<std::string>& name,
                                                  const std::string& preferred);

// The sizes of each entry, read by several threads: 3 MB of JSON for 250 tasks, 30 ms of one core.
[[nodiscard]] std::vector<std::vector<std::string>> sizes_of_each(
    const std::vector<TaskEntry>& entries);

}  // namespace kbench
