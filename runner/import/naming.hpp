// Which level, number and name each imported task gets. A pure function of the sources and of what
// the suite holds already, so that a second import gives the same names.
#pragma once

#include <string>
#include <vector>

#include "runner/import/sources.hpp"
#include "runner/task/suite.hpp"

namespace kbench {

struct TaskName {
  int level = 1;
  int number = 0;
  std::string name;  // letters, digits and underscores, lower case

  [[nodiscard]] std::string stem() const;  // "019_relu"
  [[nodiscard]] std::string id() const;    // "level1/019_relu"
  auto operator<=>(const TaskName&) const = default;
};

// Takes back the numbers of what failed: of sources that were given a new number (`fresh`), in
// order, those that became tasks (`good`) get the lowest numbers that were given. All are as many
// as names.
[[nodiscard]] std::vector<TaskName> close_ranks(std::vector<TaskName> names,
                                                const std::vector<bool>& fresh,
                                                const std::vector<bool>& good);

// One name for each source, all different. A source without a number keeps the one that a task of
// its name has in the suite, else takes the lowest that is free in its level. `default_level` is
// for sources that do not tell theirs.
[[nodiscard]] std::vector<TaskName> name_tasks(const std::vector<ImportSource>& sources,
                                               const std::vector<TaskEntry>& suite,
                                               int default_level);

}  // namespace kbench
