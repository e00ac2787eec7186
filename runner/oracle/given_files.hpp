// The files of a task that the supervisor hands over: its text and its compiled package. They come
// as descriptors, because an oracle is shown no folder of any user. LibTorch wants names, so a copy
// of each is kept in the working directory, which is this process's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct GivenFiles {
  std::filesystem::path task;     // "level1/019_relu.json": what errors name
  std::filesystem::path package;  // empty for none
};

// Keeps the given files. `task_file` is where the supervisor has it: the last two names say which
// task it is. Files: the task, then the package where there is one. Errors: kInfrastructure.
[[nodiscard]] Result<GivenFiles> keep_given_files(const std::filesystem::path& task_file,
                                                  std::vector<UniqueFd> files);

}  // namespace kbench
