#include "runner/measure/watch/known_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/as_owner.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error unreadable(const fs::path& file, int error) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be read: {}", file.string(), std::strerror(error)),
          "which code a worker has mapped must be known; a container may lack CAP_SYS_PTRACE"};
}

bool is_gone(int error) { return error == ENOENT || error == ESRCH; }

UniqueFd open_maps(const fs::path& thread) {
  const fs::path file = thread / "maps";
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.valid() || (errno != EACCES && errno != EPERM)) return fd;
  const AsOwner owner(thread);
  return UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

// The maps of a thread; empty for one that has ended.
Result<std::string> maps_of_thread(const fs::path& thread) {
  const UniqueFd fd = open_maps(thread);
  if (!fd.valid()) {
    if (is_gone(errno)) return std::string();
    return unreadable(thread / "maps", errno);
  }
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && !is_gone(errno)) return unreadable(thread / "maps", errno);
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// The folders without links; those that are not there are left out.
std::vector<fs::path> canonical(const std::vector<fs::path>& folders) {
  std::vector<fs::path> real;
  for (const fs::path& folder : folders) {
    std::error_code error;
    fs::path path = fs::canonical(folder, error);
    if (!error) real.push_back(std::move(path));
  }
  return real;
}

// Folders of the system, of the driver, and of an installation without root.
std::vector<fs::path> system_folders() {
  std::vector<fs::path> folders = cuda_library_folders();
  for (const char* folder : {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin"})
    folders.emplace_back(folder);
  if (const auto packages = unpacked_packages()) folders.push_back(*packages);
  return canonical(folders);
}

// True for a folder whose entries others may replace; in one like /tmp no user replaces another
// user's.
bool others_may_replace(const struct stat& info) {
  if ((info.st_mode & S_IWOTH) == 0) return false;
  return !S_ISDIR(info.st_mode) || (info.st_mode & S_ISVTX) == 0;
}

// Whether the file and all folders above it are root's, ours or `owner`'s, and nobody else may
// write there.
bool is_out_of_reach(fs::path path, uid_t owner) {
  while (true) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return false;
    const bool trusted = info.st_uid == 0 || info.st_uid == ::geteuid() || info.st_uid == owner;
    if (!trusted || S_ISLNK(info.st_mode) || others_may_replace(info)) return false;
    if (!path.has_relative_path()) return true;
    path = path.parent_path();
  }
}

// The owner of a Python's folder, who is believed, because that Python runs outside of the sandbox
// as well. Never the user that submissions run as.
uid_t owner_of(const fs::path& folder) {
  struct stat info {};
  const bool known = ::stat(folder.c_str(), &info) == 0 && info.st_uid != kSandboxUid;
  return known ? info.st_uid : 0;
}

// The path of the mapped file on this machine, without links: a Python's version may be one, or its
// environment on another disk, and a sandbox shows paths as they were given to it. Empty where
// another file lies there.
fs::path place_of(const CodeMapping& mapping) {
  std::error_code error;
  if (!fs::path(mapping.path).is_absolute()) return {};
  fs::path path = fs::canonical(mapping.path, error);
  if (error) return {};
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return {};
  const auto identity = identity_of(file.get());
  return identity && *identity == mapping.file ? path : fs::path();
}

// True for a file below one of these folders, where no submission can write.
bool is_installed(const fs::path& place, std::span<const fs::path> folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    return is_below(place, folder) && is_out_of_reach(place, owner_of(folder));
  });
}

// The driver maps its own devices; what stands in such memory is like any memory without a file.
bool is_device_memory(const CodeMapping& mapping) {
  return mapping.path.starts_with("/dev/nvidia");
}

bool is_memory(const CodeMapping& mapping) {
  return mapping.path.empty() && mapping.file.inode == 0;
}

Result<std::vector<CodeMapping>> all_mappings(std::span<const pid_t> processes) {
  std::vector<CodeMapping> found;
  for (const pid_t process : processes) {
    const auto maps = read_maps(process);
    if (!maps) return maps.error();
    for (CodeMapping& mapping : executable_mappings(*maps)) {
      if (std::find(found.begin(), found.end(), mapping) == found.end())
        found.push_back(std::move(mapping));
    }
  }
  return found;
}

}  // namespace

Result<FileIdentity> identity_of(int file) {
  const long page = ::sysconf(_SC_PAGESIZE);
  void* mapped = ::mmap(nullptr, static_cast<std::size_t>(page), PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED) return unreadable("a file of code", errno);
  const auto maps = read_maps(::getpid());
  ::munmap(mapped, static_cast<std::size_t>(page));
  if (!maps) return maps.error();
  const std::string start = fmt::format("\n{:x}-", reinterpret_cast<std::uintptr_t>(mapped));
  const auto at = ("\n" + *maps).find(start);
  if (at == std::string::npos) return unreadable("/proc/self/maps", ENOENT);
  std::string line = maps->substr(at, maps->find('\n', at) - at);
  // The line is made to look like code, for the same reader.
  const auto rights = line.find(' ') + 1;
  line.replace(rights, 4, "r-xp");
  const auto mappings = executable_mappings(line);
  if (mappings.size() != 1) return unreadable("/proc/self/maps", EINVAL);
  return mappings.front().file;
}

Result<std::string> read_maps(pid_t process) {
  const fs::path folder = fs::path("/proc") / std::to_string(process) / "task";
  std::error_code error;
  fs::directory_iterator threads(folder, error);
  for (; !error && threads != fs::directory_iterator(); threads.increment(error)) {
    const bool is_leader = threads->path().filename() == std::to_string(process);
    if (!is_leader && !stands(Defence::kWholeProcesses)) continue;
    auto text = maps_of_thread(threads->path());
    // All threads of a process share its memory.
    if (!text || !text->empty()) return text;
  }
  if (error && !is_gone(error.value())) return unreadable(folder, error.value());
  return std::string();
}

Result<KnownCode> KnownCode::make(int library, const fs::path& program) {
  KnownCode known;
  auto identity = identity_of(library);
  if (!identity) return identity.error();
  known.library_ = std::move(*identity);
  for (const fs::path& own : {program, program.parent_path() / "kbench-enter"}) {
    const UniqueFd file(::open(own.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) continue;
    auto of_program = identity_of(file.get());
    if (!of_program) return of_program.error();
    known.worker_.push_back(std::move(*of_program));
  }
  return known;
}

KnownCode KnownCode::of_runtime(const std::vector<fs::path>& folders) {
  KnownCode known;
  known.runtime_ = canonical(folders);
  return known;
}

Status KnownCode::accept(const fs::path& library, const std::string& sha256) {
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return unreadable(library, errno);
  auto identity = identity_of(file.get());
  if (!identity) return identity.error();
  const auto hash = sha256_file(fmt::format("/proc/self/fd/{}", file.get()));
  if (!hash) return hash.error();
  if (*hash != sha256) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} is not what the build step made", library.string()),
                 "nobody but kbench writes to its folders in TMPDIR"};
  }
  built_.push_back(std::move(*identity));
  return Done{};
}

Status KnownCode::trust(std::span<const pid_t> processes, bool memory_counts) {
  const auto mappings = all_mappings(processes);
  if (!mappings) return mappings.error();
  for (const CodeMapping& mapping : *mappings)
    if (mapping.file.inode != 0) worker_.push_back(mapping.file);
  memory_counts_ = memory_counts;
  return Done{};
}

CodeOrigin KnownCode::origin(const CodeMapping& mapping) const {
  if (is_memory(mapping)) return CodeOrigin::kMemory;
  if (library_.inode != 0 && mapping.file == library_) return CodeOrigin::kSubmission;
  if (std::find(built_.begin(), built_.end(), mapping.file) != built_.end())
    return CodeOrigin::kSubmission;
  if (std::find(worker_.begin(), worker_.end(), mapping.file) != worker_.end())
    return CodeOrigin::kWorker;
  const fs::path place = place_of(mapping);
  if (place.empty()) return CodeOrigin::kUnknown;
  if (is_installed(place, runtime_)) return CodeOrigin::kRuntime;
  if (is_installed(place, system_folders())) return CodeOrigin::kInstalled;
  const bool exposed = std::any_of(runtime_.begin(), runtime_.end(),
                                   [&](const fs::path& folder) { return is_below(place, folder); });
  return exposed ? CodeOrigin::kExposed : CodeOrigin::kUnknown;
}

Result<std::vector<MappedCode>> KnownCode::look_at(std::span<const pid_t> processes) const {
  const auto mappings = all_mappings(processes);
  if (!mappings) return mappings.error();
  std::vector<MappedCode> code;
  for (const CodeMapping& mapping : *mappings) {
    const bool of_the_driver = is_memory(mapping) || is_device_memory(mapping);
    if (of_the_driver && !memory_counts_) continue;
    code.push_back({mapping.path, origin(mapping)});
  }
  return code;
}

}  // namespace kbench
