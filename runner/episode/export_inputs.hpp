// Inputs of `kbench export` beside the database: tasks that no model may be trained on, and a
// critic's values.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// One task a line by its id, or a glob over ids (level1/0*); what follows a # is a comment.
class HeldOutTasks {
 public:
  HeldOutTasks() = default;  // none
  // Errors: kUsage, for a file that cannot be read, or a line that can be no task's.
  [[nodiscard]] static Result<HeldOutTasks> read(const std::filesystem::path& file);
  [[nodiscard]] bool contains(const std::string& task) const;

 private:
  std::vector<std::string> patterns_;
};

// Values by episode: one for each turn, and perhaps one more of what comes after the last. A line
// is {"episode": ID, "values": [...]}. Errors: kUsage, with the line.
using EpisodeValues = std::map<std::string, std::vector<double>>;
[[nodiscard]] Result<EpisodeValues> read_values(const std::filesystem::path& file);

}  // namespace kbench
