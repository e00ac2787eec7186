// How a script of ours is started in the sandbox with the Python that has torch: foreign task files
// are lowered, and Python submissions played, by such a process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// All paths are absolute.
struct PythonSetup {
  std::filesystem::path python;                    // a Python with torch
  std::vector<std::filesystem::path> python_path;  // folders of its modules
  std::vector<std::filesystem::path> readable;     // its own folders, and others that it needs
};

// Hash of a script, or of another file that decides what it does; empty where it cannot be read.
[[nodiscard]] std::string hash_of_file(const std::filesystem::path& file);

// Hash of the release of torch that is installed, without asking a Python for it; empty where none
// is found.
[[nodiscard]] std::string hash_of_torch(const PythonSetup& setup);

// A Python in an otherwise empty sandbox, without a GPU and without limits of memory. It may write
// to `scratch`; none: to /tmp, which with bubblewrap is its own.
[[nodiscard]] SandboxCommand python_command(const PythonSetup& setup,
                                            const std::filesystem::path& script,
                                            const std::filesystem::path& scratch = {});

// A folder for such a script to write to, removed with its owner; none where the sandbox has a /tmp
// of its own.
[[nodiscard]] Result<ScratchFolder> make_python_scratch(const Sandbox& sandbox,
                                                        const std::string& name);

}  // namespace kbench
