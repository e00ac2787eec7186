// The option table: turns the words of the command line into one of the option structs. The only
// file that knows CLI11, and the only place where help is written. Nothing is executed here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Help or the version was asked for: print the text to standard output, exit with 0.
struct PrintText {
  std::string text;
};

struct TasksListRequest {
  TasksOptions options;
};
struct TasksShowRequest {
  TasksOptions options;
};
struct TasksHeaderRequest {
  TasksOptions options;
};
struct TasksPromptRequest {
  TasksOptions options;
};

using Request =
    std::variant<PrintText, RunOptions, TasksListRequest, TasksShowRequest, TasksHeaderRequest,
                 TasksPromptRequest, LintOptions, ImportOptions, ReportOptions, RunsOptions,
                 TagOptions, CompareOptions, HistoryOptions, WorkspaceRequest, DoctorOptions,
                 SelftestRequest, TimingSelftestRequest>;

// `words` is argv, the program's name included. Errors: kUsage, with the nearest known name where
// one was misspelt.
[[nodiscard]] Result<Request> parse_command_line(const std::vector<std::string>& words);

}  // namespace kbench
