// The options of `kbench workspace` and its requests.
#pragma once

#include <array>
#include <utility>

#include "runner/cli/command_options.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

struct WorkspaceApps {
  CLI::App* open;
  CLI::App* compile;
  CLI::App* verify;
  CLI::App* submit;

  using Asked = std::pair<CLI::App*, WorkspaceRequest::What>;
  [[nodiscard]] std::array<Asked, 4> requests() const;
};

WorkspaceApps add_workspace(CLI::App& app, WorkspaceOptions& options);

}  // namespace kbench
