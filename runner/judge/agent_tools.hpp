// The tools of an agent that works over a wire (serve/tools.hpp), on workspaces that lie in a
// folder of ours: it has handles for them, and each token its own. What takes time becomes an
// order, for the queue.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/serve/order.hpp"
#include "runner/task/suite.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {

class AgentTools {
 public:
  // `folder` is made when the first workspace is opened.
  explicit AgentTools(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The surroundings of a tool.
  struct Surroundings {
    std::span<const TaskEntry> entries;
    // Makes the workspace of a task. Errors: kNotFound, kUsage.
    std::function<Result<WorkspaceTask>(const std::filesystem::path& folder,
                                        const std::string& task, const std::string& size)>
        open;
  };
  // Errors: kNotFound, a tool or a handle that there is none of; kUsage, kSubmission.
  [[nodiscard]] Result<std::variant<Json, Order>> use(const std::string& tool,
                                                      const Json& arguments,
                                                      const std::string& agent,
                                                      const Surroundings& around) const;

 private:
  [[nodiscard]] Result<Json> open(const Json& arguments, const std::string& agent,
                                  const Surroundings& around) const;
  [[nodiscard]] Result<std::filesystem::path> folder_of(const Json& arguments,
                                                        const std::string& agent) const;
  void remove_oldest() const;

  std::filesystem::path folder_;
};

}  // namespace kbench
