// Which suite a task belongs to, by where its file lies. What executed a task of one suite is not
// believed about another one's: what a file says is executed, and each suite has an author.
#pragma once

#include <filesystem>

namespace kbench {

// "suites", as an absolute path, of "suites/level1/019_relu.json".
[[nodiscard]] inline std::filesystem::path suite_folder(const std::filesystem::path& task_file) {
  return std::filesystem::absolute(task_file).lexically_normal().parent_path().parent_path();
}

}  // namespace kbench
