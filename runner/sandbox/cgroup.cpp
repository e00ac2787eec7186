#include "runner/sandbox/cgroup.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool write_text(const fs::path& file, const std::string& text) {
  const UniqueFd open(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return open.valid() &&
         ::write(open.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool has_word(const std::string& text, const std::string& word, char separator) {
  std::istringstream words(text);
  for (std::string one; std::getline(words, one, separator);) {
    if (one == word) return true;
  }
  return false;
}

std::string first_line_of_file(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// A line of /proc/self/mountinfo: "36 35 98:0 /root /mount/point options … - type source options".
struct Mount {
  std::string root;
  std::string point;
  std::string type;
  std::string options;  // options of the superblock: version 1 names its controllers here
};

std::vector<Mount> cgroup_mounts() {
  std::vector<Mount> mounts;
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash));
    std::istringstream right(line.substr(dash + 3));
    Mount mount;
    std::string skipped;
    left >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    right >> mount.type >> skipped >> mount.options;
    if (mount.type == "cgroup" || mount.type == "cgroup2") mounts.push_back(std::move(mount));
  }
  return mounts;
}

// This process's group in one hierarchy as /proc/self/cgroup has it: "4:memory:/path", "0::/path".
std::string own_path(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const bool found = controller.empty() ? names.empty() : has_word(names, controller, ',');
    if (found) return line.substr(second + 1);
  }
  return "";
}

fs::path own_folder(const Mount& mount, const std::string& controller) {
  std::string path = own_path(controller);
  if (mount.root != "/" && path.starts_with(mount.root)) path = path.substr(mount.root.size());
  const fs::path folder = fs::path(mount.point) / fs::path(path).relative_path();
  std::error_code error;
  return fs::is_directory(folder, error) ? folder : fs::path(mount.point);
}

constexpr std::string_view kPrefix = "kbench-";

// The process in a name that make_folder gives: "kbench-PROCESS-NUMBER".
std::optional<pid_t> process_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  pid_t process = 0;
  unsigned number = 0;
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, process);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  if (second.ec != std::errc() || second.ptr != end || process <= 0) return std::nullopt;
  return process;
}

// A new group; empty with errno set when none could be made. Names that exist are passed over: a
// kbench that was killed leaves its groups behind, and its process id comes again.
fs::path make_folder(const fs::path& parent) {
  static std::atomic<unsigned> made{0};
  constexpr int kMostLeftBehind = 10'000;
  for (int attempt = 0; attempt < kMostLeftBehind; ++attempt) {
    const fs::path folder =
        parent / (std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(made++));
    if (::mkdir(folder.c_str(), 0755) == 0) return folder;
    if (errno != EEXIST) return {};
  }
  return {};
}

// Whether a group with this control file can be made there.
bool can_make_group(const fs::path& parent, const char* control) {
  const fs::path group = make_folder(parent);
  if (group.empty()) return false;
  const bool useful = ::access((group / control).c_str(), W_OK) == 0;
  ::rmdir(group.c_str());
  return useful;
}

// Groups nest below the one that this process is in, so limits set from outside hold on.
std::vector<fs::path> parents_of_version_1(const std::vector<Mount>& mounts) {
  std::vector<fs::path> parents;
  for (const auto& [controller, control] :
       {std::pair{"memory", "memory.limit_in_bytes"}, std::pair{"pids", "pids.max"}}) {
    for (const Mount& mount : mounts) {
      if (mount.type != "cgroup" || !has_word(mount.options, controller, ',')) continue;
      const fs::path parent = own_folder(mount, controller);
      if (can_make_group(parent, control)) parents.push_back(parent);
      break;
    }
  }
  return parents;
}

std::vector<fs::path> parents_of_version_2(const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    const fs::path parent = own_folder(mount, "");
    const std::string offered = first_line_of_file(parent / "cgroup.controllers");
    if (!has_word(offered, "memory", ' ') || !has_word(offered, "pids", ' ')) continue;
    // Refused where the group has processes of its own and is not the root: then nothing was
    // delegated to us.
    write_text(parent / "cgroup.subtree_control", "+memory +pids");
    if (can_make_group(parent, "memory.max")) return {parent};
  }
  return {};
}

// A parent below which a group that can be frozen can be made: version 2 needs no controller for
// it, and lets what is frozen be killed.
std::pair<fs::path, std::string> parent_that_freezes(const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    const fs::path parent = own_folder(mount, "");
    if (can_make_group(parent, "cgroup.freeze")) return {parent, "freezer2"};
  }
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup" || !has_word(mount.options, "freezer", ',')) continue;
    const fs::path parent = own_folder(mount, "freezer");
    if (can_make_group(parent, "freezer.state")) return {parent, "freezer1"};
  }
  return {};
}

Error freezer_failed(const char* what) {
  return {
      ErrorCode::kInfrastructure,
      std::string("cannot ") + what + " the control group of a sandbox: " + std::strerror(errno),
      "somebody else changes kbench's control groups; run again"};
}

}  // namespace

Freezer Freezer::open(const fs::path& group, int version) {
  Freezer freezer;
  const auto open_in = [&](const char* name, int how) {
    return UniqueFd(::open((group / name).c_str(), how | O_CLOEXEC));
  };
  freezer.version_ = version;
  freezer.control_ = open_in(version == 2 ? "cgroup.freeze" : "freezer.state", O_RDWR);
  freezer.state_ = open_in(version == 2 ? "cgroup.events" : "freezer.state", O_RDONLY);
  return freezer.control_.valid() && freezer.state_.valid() ? std::move(freezer) : Freezer{};
}

Result<bool> Freezer::frozen() const {
  std::array<char, 256> buffer;
  const ssize_t got = ::pread(state_.get(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return freezer_failed("read the state of");
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  const std::string_view yes = version_ == 2 ? "frozen 1" : "FROZEN";
  return text.find(yes) != std::string_view::npos;
}

Status Freezer::freeze(std::chrono::milliseconds timeout,
                       const std::function<void(int glance)>& wait) {
  const std::string_view word = version_ == 2 ? "1" : "FROZEN";
  if (::pwrite(control_.get(), word.data(), word.size(), 0) < 0) return freezer_failed("freeze");
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (int glance = 1;; ++glance) {
    auto done = frozen();
    if (!done) return done.error();
    if (*done) return Done{};
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{ErrorCode::kTimeout, "its control group did not freeze: it hangs in the kernel",
                   ""};
    }
    wait(glance);
  }
}

Status Freezer::thaw() {
  const std::string_view word = thaw_word();
  if (::pwrite(control_.get(), word.data(), word.size(), 0) < 0) return freezer_failed("thaw");
  return Done{};
}

Cgroup::~Cgroup() { remove(); }

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  std::swap(folders_, other.folders_);
  std::swap(entrances_, other.entrances_);
  std::swap(freezer_, other.freezer_);
  return *this;
}

bool Cgroup::remove() {
  bool empty = true;
  entrances_.clear();
  freezer_ = {};
  for (const fs::path& folder : folders_) {
    // The last process leaves its group a moment after it was reaped.
    constexpr int kAttempts = 50;
    int attempt = 0;
    while (::rmdir(folder.c_str()) != 0 && errno == EBUSY && attempt < kAttempts) {
      ++attempt;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    empty = empty && attempt < kAttempts;
  }
  folders_.clear();
  return empty;
}

int remove_dead_groups(const fs::path& parent) {
  std::error_code failed;
  std::vector<fs::path> dead;
  for (auto at = fs::directory_iterator(parent, failed); !failed && at != fs::directory_iterator();
       at.increment(failed)) {
    const auto process = process_of(at->path().filename().string());
    if (process && ::kill(*process, 0) != 0 && errno == ESRCH) dead.push_back(at->path());
  }
  int removed = 0;
  for (const fs::path& group : dead) {
    struct stat status {};
    const bool ours = ::lstat(group.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == ::geteuid();
    // The kernel refuses a group that has a process.
    if (ours && ::rmdir(group.c_str()) == 0) ++removed;
  }
  return removed;
}

CgroupHome CgroupHome::find() {
  CgroupHome home;
  const auto mounts = cgroup_mounts();
  std::tie(home.freezer_parent_, home.freezer_) = parent_that_freezes(mounts);
  home.parents_ = parents_of_version_2(mounts);
  if (!home.parents_.empty()) {
    home.version_ = "cgroup2";
  } else if (home.parents_ = parents_of_version_1(mounts); home.parents_.size() == 2) {
    home.version_ = "cgroup1";
  } else {
    home.parents_.clear();
    home.reason_ = mounts.empty() ? "no cgroups are mounted" : "no cgroup may be made here";
  }
  if (!home.freezer_parent_.empty()) remove_dead_groups(home.freezer_parent_);
  for (const fs::path& parent : home.parents_) remove_dead_groups(parent);
  return home;
}

Result<Cgroup> CgroupHome::make(const CgroupLimits& limits, bool limited, bool frozen) const {
  Cgroup group;
  std::vector<fs::path> parents;
  if (limited) parents = parents_;
  const bool freezes = frozen && !freezer_.empty();
  if (freezes && std::find(parents.begin(), parents.end(), freezer_parent_) == parents.end())
    parents.push_back(freezer_parent_);
  const auto failed = [](const fs::path& what) {
    return Error{ErrorCode::kInfrastructure,
                 "cgroup " + what.string() + ": " + std::strerror(errno), ""};
  };
  const std::string memory = std::to_string(limits.memory_bytes);
  for (const fs::path& parent : parents) {
    const fs::path folder = make_folder(parent);
    if (folder.empty()) return failed(parent);
    group.folders_.push_back(folder);
    const auto set = [&](const char* control, const std::string& value) {
      return ::access((folder / control).c_str(), F_OK) != 0 || write_text(folder / control, value);
    };
    if (limits.memory_bytes > 0) {
      if (!set("memory.max", memory) || !set("memory.limit_in_bytes", memory))
        return failed(folder);
      // Swap is not there to hide a bomb. Kernels without swap accounting lack these files.
      set("memory.swap.max", "0");
      set("memory.memsw.limit_in_bytes", memory);
      set("memory.oom.group", "1");
    }
    if (limits.processes > 0 && !set("pids.max", std::to_string(limits.processes))) {
      return failed(folder);
    }
    UniqueFd entrance(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!entrance.valid()) return failed(folder);
    group.entrances_.push_back(std::move(entrance));
    if (!freezes || parent != freezer_parent_) continue;
    group.freezer_ = Freezer::open(folder, freezer_ == "freezer2" ? 2 : 1);
    if (!group.freezer_.there()) return failed(folder);
  }
  return group;
}

}  // namespace kbench
