// Tasks as JSON, for programs that choose or describe them.
#pragma once

#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// A task with its tensors at these sizes of it: {schema_version, task, level, number, name, title,
// mode, note, ranked, unranked_reason, entry, source, file, hash, sizes[]}; null where there is
// none. Bytes and operations as TaskSize has them.
[[nodiscard]] Json task_json(const Task& task, const std::vector<const TaskSize*>& sizes);

// {schema_version, tasks[]}; `sizes`: names of each entry's.
[[nodiscard]] Json task_list_json(const std::vector<TaskEntry>& entries,
                                  const std::vector<std::vector<std::string>>& sizes);

}  // namespace kbench
