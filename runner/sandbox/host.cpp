#include "runner/sandbox/host.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/proc_files.hpp"

namespace kbench {
namespace fs = std::filesystem;

std::optional<fs::path> find_system_program(std::string_view name) {
  for (const char* folder : {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"}) {
    fs::path program = fs::path(folder) / name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  if (const auto packages = unpacked_packages()) {
    fs::path program = *packages / "root/usr/bin" / name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

std::optional<fs::path> unpacked_packages() {
  const char* folder = std::getenv("KBENCH_DEPS");
  if (folder == nullptr || *folder != '/') return std::nullopt;
  return fs::path(folder);
}

std::optional<fs::path> find_enter() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  // kbench-enter lies beside kbench, or in libexec where it is installed; unit tests lie in a
  // folder next to bin.
  const fs::path above = here.parent_path();
  for (const fs::path& folder : {here, above / "libexec/kbench", above / "bin"}) {
    fs::path program = folder / "kbench-enter";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

std::vector<fs::path> cuda_device_nodes() {
  // Devices that computing needs. Left out: nvidia-uvm-tools (profiling other processes),
  // nvidia-modeset (displays), the switches between GPUs.
  const std::regex needed("nvidia([0-9]+|ctl|-uvm|-caps)");
  std::vector<fs::path> nodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    if (std::regex_match(entry.path().filename().string(), needed)) nodes.push_back(entry.path());
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

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

uid_t fresh_sandbox_uid() {
  // The first user of sandboxes: above all that a distribution gives to users and containers by
  // itself, below 2^31.
  constexpr uid_t kFirst = 1'000'000'000;
  constexpr uid_t kProcesses = 1'000'000;
  constexpr uid_t kEach = 1'000;
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  map >> inside >> outside >> count;
  if (!map || inside + count < std::uint64_t{kFirst} + kProcesses * kEach) return kSandboxUid;
  static std::atomic<uid_t> started{0};
  return kFirst + static_cast<uid_t>(::getpid()) % kProcesses * kEach + started++ % kEach;
}

std::uint64_t count_threads_of(uid_t uid) {
  std::uint64_t threads = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const char first = entry.path().filename().c_str()[0];
    if (first < '0' || first > '9') continue;
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) != 0 || info.st_uid != uid) continue;
    // The number of threads is field 20 of stat, counted after the name, which ends with the last
    // parenthesis.
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

namespace {

// The real user in the text of a status file; a name in it cannot hold a line break.
std::optional<uid_t> user_in(std::string_view status) {
  constexpr std::string_view kField = "\nUid:\t";
  const auto at = status.find(kField);
  if (at == std::string_view::npos) return std::nullopt;
  uid_t user = 0;
  const auto parsed =
      std::from_chars(status.data() + at + kField.size(), status.data() + status.size(), user);
  return parsed.ec == std::errc{} ? std::optional(user) : std::nullopt;
}

}  // namespace

std::optional<std::set<uid_t>> users_of_processes() {
  const UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid()) return std::nullopt;
  std::set<uid_t> users;
  bool complete = true;
  const Look look = for_each_number(proc.get(), [&](pid_t pid) {
    std::array<char, 2048> buffer;
    std::string_view text;
    ProcessStat stat;
    Look seen = read_small(proc.get(), ProcPath().add(pid).add("/status").c_str(), buffer, text);
    if (seen == Look::kSeen) seen = read_stat(proc.get(), pid, stat);
    if (seen == Look::kUnknown) complete = false;
    // The dead are waiting for their parents only.
    if (seen != Look::kSeen || stat.process_is_dead()) return;
    const auto user = user_in(text);
    complete = complete && user;
    if (user) users.insert(*user);
  });
  if (look != Look::kSeen || !complete) return std::nullopt;
  return users;
}

}  // namespace kbench
