#include "runner/feedback/probe_tools.hpp"

#include <unistd.h>

#include <sstream>
#include <string>
#include <system_error>

#include "runner/os/environment.hpp"
#include "runner/submission/cuda_tools.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// The folder above that of a program in bin/, wherever a link to it lies; empty where it is not.
fs::path toolkit_of(const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  return error ? fs::path() : real.parent_path().parent_path();
}

}  // namespace

fs::path find_compute_sanitizer(const fs::path& nvcc) {
  const fs::path on_path = find_on_path("compute-sanitizer");
  // The one in bin/ is a script that starts the other, which has its libraries beside it.
  for (const fs::path& known : {nvcc, on_path}) {
    const fs::path program = toolkit_of(known) / "compute-sanitizer/compute-sanitizer";
    if (!known.empty() && program.is_absolute() && is_program(program)) return program;
  }
  if (!on_path.empty()) return on_path;
  return find_in_packages("nvidia/cu13/compute-sanitizer/compute-sanitizer");
}

fs::path find_clang_tidy() {
  const fs::path ours = find_in_packages("clang_tidy/data/bin/clang-tidy");
  return ours.empty() ? find_on_path("clang-tidy") : ours;
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
