// Names that a command line may take: of tasks, levels, states, runs, tags and agents, for a
// shell's completion.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

struct NameSearch {
  std::string kind;  // "tasks", "families", "levels", "states", "runs", "tags" or "agents"
  std::optional<std::filesystem::path> suite;
  std::filesystem::path database = "kbench.sqlite";
  std::filesystem::path submissions = "submissions";  // a folder as `kbench run` finds it
};

// The names; none where there is no such database, folder or suite: a completion then shows
// nothing.
[[nodiscard]] std::vector<std::string> known_names(const NameSearch& search,
                                                   const Installation& installation);

}  // namespace kbench
