// Which folders are workspaces, and of which task: a record of each in the state folder of the user
// who opened it. The agent writes to the workspace, workspace.json included, so that file is for
// reading and this record decides.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

// The task of a workspace.
struct WorkspaceTask {
  std::string task;                         // "level1/019_relu"
  std::string size;                         // "small" or "full"
  std::string device;                       // "cpu" or "cuda"
  std::string precision = "torch-default";  // the class that it is judged in
  bool operator==(const WorkspaceTask&) const = default;
};

// The text of workspace.json, and of a record.
[[nodiscard]] std::string workspace_text(const WorkspaceTask& task);
// Errors: kUsage, "WHAT …", where the text is not what kbench writes.
[[nodiscard]] Result<WorkspaceTask> parse_workspace_text(const std::string& text,
                                                         const std::string& what);

class WorkspaceRecords {
 public:
  // `state`: the user's state folder; empty where there is none.
  explicit WorkspaceRecords(const std::filesystem::path& state);

  // `folder` exists. Errors: kInfrastructure.
  [[nodiscard]] Status keep(const std::filesystem::path& folder, const WorkspaceTask& task) const;
  // The task that it was opened for; nothing if this user opened none there. Errors: kUsage for a
  // record that is damaged.
  [[nodiscard]] Result<std::optional<WorkspaceTask>> find(
      const std::filesystem::path& folder) const;
  // True for a folder that is a workspace or lies in one.
  [[nodiscard]] bool hold(const std::filesystem::path& folder) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::filesystem::path& folder) const;

  std::filesystem::path records_;  // empty: there is no place for any
};

}  // namespace kbench
