// A suite is a folder with levelN/NNN_name.json files. Listing reads only the head of each file, so
// that 250 tasks take milliseconds; load_task reads one completely. A folder of tasks comes from
// others: links in it, and which suite a task is of, are looked at here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// A task by its place and the head of its file.
struct TaskEntry {
  std::string id;  // "level1/019_relu"
  int level = 0;
  int number = 0;
  std::string name;   // "relu"
  std::string title;  // empty when the head cannot be read
  std::filesystem::path file;
  std::string unranked;  // why it counts in no score; empty where it does
  std::string problem;   // why the head cannot be read; empty when it can. load_task says more.
};

// Every task below `suites`, sorted by level and number. A malformed file is an entry with a
// `problem`, so that one bad file does not hide the others. Errors: the folder does not exist, or
// cannot be read.
[[nodiscard]] Result<std::vector<TaskEntry>> list_tasks(const std::filesystem::path& suites);

// The entry of an id ("level1/019_relu") alone, without a file; empty if it is no id.
[[nodiscard]] std::optional<TaskEntry> entry_of_id(const std::string& id);

// The names of a task file's sizes, in its order, without reading the rest for sense: some
// milliseconds for a large file. Empty when it cannot be read.
[[nodiscard]] std::vector<std::string> sizes_of(const TaskEntry& entry);

// The entries of the given levels that match one of the patterns; no levels, or no patterns, means
// all. A pattern is a shell glob (*, ?, [a-z]) over the id ("level1/0*"), or "level1/19", or,
// without a slash, a glob over "019_relu", "019" or "relu"; "19_ReLU" is "019_relu". Errors:
// kNotFound, with the nearest name, for a pattern without wildcards that no task has. A glob
// without a match, or a level without tasks, only selects nothing.
[[nodiscard]] Result<std::vector<TaskEntry>> select_tasks(const std::vector<TaskEntry>& entries,
                                                          const std::vector<int>& levels,
                                                          const std::vector<std::string>& patterns);

// The end of an error about a task that nobody has.
inline constexpr const char* kAllTasksAreListed = "`kbench tasks list` shows all of them";
// The name of a task that is nearest to what is typed; of a glob its letters count.
[[nodiscard]] std::optional<std::string> nearest_task(const std::string& pattern,
                                                      const std::vector<TaskEntry>& entries);

// Whether `file` is a link to something outside of `folder`, which itself may be reached by links.
// True as well if that cannot be told. Folders between the two are not looked at: no reader of ours
// follows a link there.
[[nodiscard]] bool leads_out_of(const std::filesystem::path& file,
                                const std::filesystem::path& folder);

// Which suite a task belongs to, by where its file lies. Each suite has an author, and what
// executed a task of one suite is not believed about another one's.
//
// "suites", as an absolute path, of "suites/level1/019_relu.json".
[[nodiscard]] inline std::filesystem::path suite_folder(const std::filesystem::path& task_file) {
  return std::filesystem::absolute(task_file).lexically_normal().parent_path().parent_path();
}

}  // namespace kbench
