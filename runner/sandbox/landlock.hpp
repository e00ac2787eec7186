// Landlock: which files a program may open, by path, checked by the kernel without privileges.
// Applied by enter.cpp to every sandboxed program, and once more by each session of a Python
// submission to itself. Newer kernels know more kinds of access ("ABI"):
// 2 files and moving between folders, 3 truncation, 4 TCP, 5 device ioctl, 6 signals and abstract
// sockets. What the kernel does not know is left to the other layers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// The allowed use of one path and everything below it.
enum class PathUse {
  kRead,    // read, list and execute
  kWrite,   // everything that can be done to files and folders
  kDevice,  // read, write and ioctl, but nothing is made or removed
};

struct PathRule {
  std::filesystem::path path;
  PathUse use = PathUse::kRead;
};

// This kernel's ABI of Landlock; 0 if it is missing or switched off.
[[nodiscard]] int landlock_abi();

// Confines this process and what it starts from now on, as an ABI up to `abi` can. Paths that do
// not exist are left out. Sets no_new_privs. Errors: kInfrastructure, naming the call that failed.
[[nodiscard]] Status restrict_files(const std::vector<PathRule>& rules, int abi);

// Locks this thread, and those that it starts: from now on they make, change and remove files below
// `folder` alone, and execute no program. What could be read stays readable; devices and files of
// the kernel's (/dev, /proc) stay as writable as they were. Done where this kernel has no Landlock.
// Errors: kInfrastructure, naming the call that failed.
[[nodiscard]] Status write_only_below(const std::filesystem::path& folder);

}  // namespace kbench
