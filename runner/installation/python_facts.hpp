// Facts of the Python with torch, from itself, so that it can be started where nothing else is
// visible.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct PythonFacts {
  std::vector<std::filesystem::path> module_folders;  // sys.path, in its order
  std::vector<std::filesystem::path> folders;  // all that it consists of, outside the system's own
  std::filesystem::path headers;               // folder of Python.h, which may not be installed
  bool torch_has_cuda = false;                 // its torch was built with it
};

// Runs it once, some 20 ms. Errors: kInfrastructure when it does not run or has no torch.
[[nodiscard]] Result<PythonFacts> ask_python(const std::filesystem::path& python);

}  // namespace kbench
