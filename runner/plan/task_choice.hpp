// The tasks of a suite that a caller means: by levels, patterns, tags, and by a file of patterns.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The tasks of the folder `suite`, or of the installation. Errors: those of list_tasks; kBadInput
// for a folder without any.
[[nodiscard]] Result<std::vector<TaskEntry>> tasks_of_suite(
    const std::optional<std::filesystem::path>& suite, const Installation& installation);

// Those of `entries` that these levels, patterns and tags select; none of a kind means all. Errors:
// those of select_tasks and with_tags.
[[nodiscard]] Result<std::vector<TaskEntry>> select_entries(
    const std::vector<TaskEntry>& entries, const std::vector<int>& levels,
    const std::vector<std::string>& patterns, const std::vector<std::string>& tags);

// The reason (kNotFound) why the request selects none of `entries`: a level that the suite does not
// have; a glob that no task matches, with the name that is nearest to it; or choices that exclude
// each other, each with the number of its own tasks.
[[nodiscard]] Error why_no_task(const std::vector<TaskEntry>& entries, const RunRequest& request);

// Those of `entries` that the request selects, completely loaded. Errors: kNotFound, kBadInput.
[[nodiscard]] Result<std::vector<Task>> load_selected(const std::vector<TaskEntry>& entries,
                                                      const RunRequest& request);

// The tasks that the request selects, of the suite that it names. Errors: as above.
[[nodiscard]] Result<std::vector<Task>> choose_tasks(const RunRequest& request,
                                                     const Installation& installation);

// The one task of these levels (empty: of all) that the pattern names, read completely, as a run of
// the precision class has it. Errors: kNotFound, kUsage for several.
[[nodiscard]] Result<Task> find_task(const std::optional<std::filesystem::path>& suite,
                                     const std::vector<int>& levels, const std::string& pattern,
                                     const Installation& installation,
                                     std::string_view precision = {});

// True for the name of a file that may be a submission, by its ending.
[[nodiscard]] bool names_source(std::string_view name);

// The end of the error for a single file whose name is no task's.
inline constexpr std::string_view kNameMatchesNone = ": which task? Its name matches none";

// The patterns of a file, a line each; # begins a remark. "-": standard input. Errors: kUsage for a
// file that names no task, is too long, or has a line that no pattern can be; those of reading it;
// kNotFound, as of select_tasks. What is wrong with a line begins with "FILE:LINE: ".
[[nodiscard]] Result<std::vector<std::string>> read_task_list(
    const std::filesystem::path& file, const std::vector<TaskEntry>& entries);
// Reads the file, if one is named, for the tasks of the folder `suite` or of the installation, and
// adds its lines to `patterns`.
[[nodiscard]] Status add_task_list(const std::optional<std::filesystem::path>& file,
                                   const std::optional<std::filesystem::path>& suite,
                                   const Installation& installation,
                                   std::vector<std::string>& patterns);

}  // namespace kbench
