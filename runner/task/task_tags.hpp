// The tags of tasks, by which `--tag matmul` selects: the families of their operators
// (task/family.hpp), read off the task's file. Nothing is stored, so tasks of any suite have them.
#pragma once

#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/suite.hpp"

namespace kbench {

// Reads the whole file: some milliseconds for a large one. If the file cannot be read, its name
// alone decides.
[[nodiscard]] std::vector<std::string> tags_of(const TaskEntry& entry);

// The tags of each entry, read by several threads.
[[nodiscard]] std::vector<std::vector<std::string>> tags_of_each(
    const std::vector<TaskEntry>& entries);

// The entries that have one of these tags; all of them without any. Errors: kNotFound for a tag
// that no task can have, with the nearest one.
[[nodiscard]] Result<std::vector<TaskEntry>> with_tags(std::vector<TaskEntry> entries,
                                                       const std::vector<std::string>& tags);

}  // namespace kbench
