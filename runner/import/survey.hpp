// A survey of a folder that is imported, folder by folder: a repository of others keeps its tasks
// under names that `find_sources` does not know (level_1, level1/convolution, reference/), beside
// files that are none. Reads the beginnings of files; executes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// A module in the KernelBench convention, as far as its text tells.
[[nodiscard]] bool looks_like_a_task(std::string_view text);

struct SurveyedFolder {
  std::filesystem::path folder;
  std::size_t files = 0;  // Python files, and tables
  std::size_t tasks = 0;  // files that look like a task, and tables
  bool taken = false;     // find_sources takes its files
  int level = 0;          // level told by words in its path that find_sources does not read; or 0
};

// Folders below `folder` that hold Python or tables, by name; itself is one. At most `most` files
// are looked at. Folders of dots and underscores are left out, as find_sources does.
[[nodiscard]] std::vector<SurveyedFolder> survey(const std::filesystem::path& folder,
                                                 std::size_t most = 20'000);

// "data/level_1: 12 files look like tasks and were left out; kbench import data/level_1 --level 1";
// empty where nothing was left out.
[[nodiscard]] std::string left_out_words(const SurveyedFolder& surveyed);

}  // namespace kbench
