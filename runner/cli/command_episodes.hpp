// The option table of `kbench episodes` and `kbench export`.
#pragma once

#include <array>
#include <utility>

#include "runner/cli/command_options.hpp"

namespace kbench {

struct EpisodesApps {
  CLI::App* list;
  CLI::App* show;

  using Asked = std::pair<CLI::App*, EpisodesRequest::What>;
  [[nodiscard]] std::array<Asked, 2> requests() const;
};

EpisodesApps add_episodes(CLI::App& app, EpisodesOptions& options);
CLI::App* add_export(CLI::App& app, ExportOptions& options);

}  // namespace kbench
