// The command line of bwrap for one sandboxed program: which folders it sees, which namespaces it
// gets, and how it loses the last privileges. Called by sandbox.cpp; pure but for looking at paths.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Which layers one launch uses; chosen by probing.
struct Layers {
  bool bubblewrap = false;
  bool user_namespace = false;  // bwrap as a plain user: works, but not with CUDA
  bool network_namespace = false;
  bool drop_to_nobody = false;  // only root can
};

// The programs the command line needs, found once.
struct SandboxTools {
  std::filesystem::path bwrap;    // empty where it is not installed
  std::filesystem::path setpriv;  // likewise; needed to drop privileges inside bwrap
  std::filesystem::path env;
};

// The whole argument list, program included. bwrap writes its status to `status_fd`.
[[nodiscard]] std::vector<std::string> bubblewrap_arguments(const SandboxCommand& command,
                                                            const Layers& layers,
                                                            const SandboxTools& tools,
                                                            int status_fd);

}  // namespace kbench
