// One row of a stored run, as somebody names it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kbench {

struct RowChoice {
  std::filesystem::path database = "kbench.sqlite";
  std::string run;                   // a name of store/run_name.hpp
  std::string task;                  // as --task takes it; empty: the only one of the run
  std::optional<std::string> agent;  // none: the row without a submission
  std::optional<std::string> variant;
  std::optional<std::string> submission;  // its name, where that takes more to tell
};

}  // namespace kbench
