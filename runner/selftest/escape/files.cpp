// Escapes through files.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

EscapeAttempt try_open(const std::string& path, int flags) {
  const UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  return judge(file.get(), "open " + path);
}

EscapeAttempt try_read(const std::string& path) { return try_open(path, O_RDONLY); }

// Opens for writing without changing anything.
EscapeAttempt try_write(const std::string& path) { return try_open(path, O_WRONLY); }

// Creates a file and removes it again at once.
EscapeAttempt try_create(const std::string& path) {
  EscapeAttempt attempt = try_open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (attempt.outcome == kEscapeOpen) ::unlink(path.c_str());
  return attempt;
}

// Leaves a file where others may find it; the selftest looks for it outside, and removes it.
EscapeAttempt try_leave(const std::string& folder, const Bait& bait) {
  const std::string path = folder + "/" + bait.marker;
  EscapeAttempt attempt = try_open(path, O_WRONLY | O_CREAT);
  if (attempt.outcome == kEscapeOpen) attempt.reason = "written, but to a folder of its own";
  return attempt;
}

EscapeAttempt list_home(const Bait& bait) {
  DIR* folder = ::opendir(bait.home.c_str());
  const EscapeAttempt attempt = judge(folder != nullptr ? 0 : -1, "opendir " + bait.home);
  if (folder != nullptr) ::closedir(folder);
  return attempt;
}

EscapeAttempt make_cgroup(const Bait& bait) {
  EscapeAttempt last = blocked("no control group is in sight");
  for (const char* folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory",
                             "/sys/fs/cgroup/pids"}) {
    struct stat info {};
    if (::stat(folder, &info) != 0) continue;
    const std::string made = std::string(folder) + "/" + bait.marker;
    last = judge(::mkdir(made.c_str(), 0755), "mkdir " + made);
    if (last.outcome != kEscapeOpen) continue;
    ::rmdir(made.c_str());
    return last;
  }
  return last;
}

// A handle of a file that may be opened anyhow; a privileged process could forge others from it.
EscapeAttempt open_by_handle(const Bait& bait) {
  alignas(file_handle) std::array<char, sizeof(file_handle) + MAX_HANDLE_SZ> memory{};
  auto* handle = reinterpret_cast<file_handle*>(memory.data());
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (::name_to_handle_at(AT_FDCWD, bait.library.c_str(), handle, &mount, 0) != 0) {
    handle->handle_bytes = 8;  // none to be had here: a made-up one will do
  }
  const UniqueFd root(::open("/usr", O_RDONLY | O_CLOEXEC));
  return judge_refusal(::open_by_handle_at(root.get(), handle, O_RDONLY), "open_by_handle_at");
}

}  // namespace

void add_file_escapes(EscapeTable& table) {
  table["read_secret"] = [](const Bait& bait) { return try_read(bait.secret); };
  table["read_as_compiler"] = table["read_secret"];
  table["read_submission"] = [](const Bait& bait) { return try_read(bait.submission); };
  table["read_database"] = [](const Bait& bait) { return try_read(bait.database); };
  table["read_passwd"] = [](const Bait&) { return try_read("/etc/passwd"); };
  table["list_home"] = list_home;
  table["write_secret"] = [](const Bait& bait) { return try_write(bait.secret); };
  table["write_as_compiler"] = table["write_secret"];
  table["truncate_secret"] = [](const Bait& bait) {
    return judge(::truncate(bait.secret.c_str(), 0), "truncate " + bait.secret);
  };
  table["remove_secret"] = [](const Bait& bait) {
    return judge(::unlink(bait.secret.c_str()), "unlink " + bait.secret);
  };
  table["write_library"] = [](const Bait& bait) { return try_write(bait.library); };
  table["write_system"] = [](const Bait& bait) { return try_create("/usr/lib/" + bait.marker); };
  table["write_root"] = [](const Bait& bait) { return try_create("/" + bait.marker); };
  table["link_secret"] = [](const Bait& bait) {
    const std::string link = bait.scratch + "/link";
    return judge(::link(bait.secret.c_str(), link.c_str()), "link " + bait.secret);
  };
  table["leave_in_tmp"] = [](const Bait& bait) { return try_leave("/tmp", bait); };
  table["leave_in_shm"] = [](const Bait& bait) { return try_leave("/dev/shm", bait); };
  table["leave_in_var_tmp"] = [](const Bait& bait) { return try_leave("/var/tmp", bait); };
  table["write_core_pattern"] = [](const Bait&) {
    return try_write("/proc/sys/kernel/core_pattern");
  };
  table["make_cgroup"] = make_cgroup;
  table["open_by_handle"] = open_by_handle;
}

}  // namespace kbench
