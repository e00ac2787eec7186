// `kbench tasks list|show|header|prompt`: look at the tasks and hand out what a submission
// includes. Results go to standard output; the return value is the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int tasks_list_command(const TasksOptions& options, const Installation& installation);
int tasks_show_command(const TasksOptions& options, const Installation& installation);
int tasks_header_command(const TasksOptions& options, const Installation& installation);
int tasks_prompt_command(const TasksOptions& options, const Installation& installation);

}  // namespace kbench
