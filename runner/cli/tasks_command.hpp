// `kbench tasks list|show|header|prompt`: look at the tasks and hand out what a submission
// includes. Results go to standard output; the return value is the exit status.
#pragma once

#include <string>

#include "runner/cli/installation.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace kbench {

int tasks_list_command(const TasksOptions& options, const Installation& installation);
int tasks_show_command(const TasksOptions& options, const Installation& installation);
int tasks_header_command(const TasksOptions& options, const Installation& installation);
int tasks_prompt_command(const TasksOptions& options, const Installation& installation);

// The output of `kbench tasks prompt`, which is also the TASK.md of a workspace; for the size and
// the kind of device that the options or the machine choose.
struct TaskPrompt {
  Task task;
  std::string size;
  std::string device;
  PromptLanguage language;
  std::string text;
};
[[nodiscard]] Result<TaskPrompt> make_task_prompt(const TasksOptions& options,
                                                  const Installation& installation);

}  // namespace kbench
