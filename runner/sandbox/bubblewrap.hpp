// The command line of bwrap for one sandboxed program: which folders it sees, which namespaces it
// gets, and how it loses the last privileges. Pure but for looking at paths.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/enter.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Which layers one launch uses; chosen by probing.
struct Layers {
  bool bubblewrap = false;
  bool namespaces = false;      // our own PID, IPC, UTS and mount namespaces, without bubblewrap
  bool user_namespace = false;  // a plain user's layer: works, but not with CUDA
  bool network_namespace = false;
  bool drop_to_nobody = false;  // only root can
  bool system_call_filter = false;
  bool cgroup = false;
  bool freezer = false;  // a control group that can be frozen
  int landlock_abi = 0;
};

// The programs the command line needs, found once.
struct SandboxTools {
  std::filesystem::path bwrap;  // empty where it is not installed
  std::filesystem::path enter;  // kbench-enter; without it nothing can be sandboxed
};

// Path at which bwrap shows kbench-enter inside.
inline constexpr const char* kEnterInside = "/kbench-enter";

// The whole argument list, ending with kbench-enter and its arguments. bwrap writes its status to
// `status_fd`.
[[nodiscard]] std::vector<std::string> bubblewrap_arguments(const SandboxCommand& command,
                                                            const Layers& layers,
                                                            const SandboxTools& tools,
                                                            int status_fd, const EnterPlan& enter);

}  // namespace kbench
