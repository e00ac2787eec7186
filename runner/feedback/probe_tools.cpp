#include "runner/feedback/probe_tools.hpp"

#include <unistd.h>

#include <sstream>
#include <string>
#include <system_error>

#include "runner/os/environment.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_compute_sanitizer(const fs::path& nvcc) {
  std::error_code error;
  const fs::path toolkit = fs::canonical(nvcc, error).parent_path().parent_path();
  // The one in bin/ is a script that starts the other.
  for (const char* place : {"compute-sanitizer/compute-sanitizer", "bin/compute-sanitizer"})
    if (!error && is_program(toolkit / place)) return toolkit / place;
  return find_on_path("compute-sanitizer");
}

fs::path find_on_path(const char* name) {
  std::istringstream folders(environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    if (path.is_absolute() && is_program(path)) return path;
  }
  return {};
}

}  // namespace kbench
