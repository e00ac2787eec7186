#include "runner/sandbox/host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace kbench {
namespace fs = std::filesystem;

std::optional<fs::path> find_system_program(std::string_view name) {
  for (const char* folder : {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"}) {
    fs::path program = fs::path(folder) / name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  // An installation without root keeps the tools that the system lacks in the tree.
  if (const char* dependencies = std::getenv("KBENCH_DEPS")) {
    fs::path program = fs::path(dependencies) / "root/usr/bin" / name;
    if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

std::vector<fs::path> cuda_device_nodes() {
  std::vector<fs::path> nodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    if (entry.path().filename().string().starts_with("nvidia")) nodes.push_back(entry.path());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<fs::path> cuda_library_folders() {
  std::vector<fs::path> candidates = {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
                                      "/run/opengl-driver/lib", "/opt/nvidia/lib64"};
  if (const char* search = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream folders(search);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (folder.starts_with('/')) candidates.emplace_back(folder);
    }
  }
  std::vector<fs::path> found;
  for (const fs::path& folder : candidates) {
    std::error_code error;
    if (!fs::exists(folder / "libcuda.so.1", error)) continue;
    if (folder.string().starts_with("/usr/")) continue;  // /usr is bound as a whole
    if (std::find(found.begin(), found.end(), folder) == found.end()) found.push_back(folder);
  }
  return found;
}

std::uint64_t count_threads_of(uid_t uid) {
  std::uint64_t threads = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const char first = entry.path().filename().c_str()[0];
    if (first < '0' || first > '9') continue;
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) != 0 || info.st_uid != uid) continue;
    // Field 20 of stat, counted after the name, which ends with the last parenthesis.
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    const auto close = line.rfind(')');
    if (close == std::string::npos) continue;
    std::istringstream fields(line.substr(close + 1));
    std::string skipped;
    for (int i = 3; i < 20; ++i) fields >> skipped;
    std::uint64_t count = 0;
    if (fields >> count) threads += count;
  }
  return threads;
}

}  // namespace kbench
