// Escapes of a submission once it is loaded: processes, programs, descriptors it was handed.
#include <dirent.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

EscapeAttempt try_fork(const Bait&) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return judge(child, "fork");
}

EscapeAttempt spawn(const Bait&) {
  pid_t child = 0;
  std::string name = "/bin/true";
  char* arguments[] = {name.data(), nullptr};
  char* environment[] = {nullptr};
  const int error = ::posix_spawn(&child, name.c_str(), nullptr, nullptr, arguments, environment);
  if (error == 0) ::waitpid(child, nullptr, 0);
  errno = error;
  return judge(error == 0 ? 0 : -1, "posix_spawn");
}

// Executes a program that ends with the code for "open".
EscapeAttempt execute(const Bait&) {
  const std::string command = "echo the shell runs; exit " + std::to_string(kEscapeOpen);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  return judge(-1, "execve");
}

EscapeAttempt execute_memfd(const Bait&) {
  const UniqueFd memory(::memfd_create("program", 0));
  const std::string script = "#!/bin/sh\nexit " + std::to_string(kEscapeOpen) + "\n";
  if (::write(memory.get(), script.data(), script.size()) < 0) return judge(-1, "write");
  std::string name = "program";
  char* arguments[] = {name.data(), nullptr};
  char* environment[] = {nullptr};
  ::fexecve(memory.get(), arguments, environment);
  return judge(-1, "execveat");
}

EscapeAttempt sealed_inputs(const Bait&) {
  constexpr std::size_t kBytes = 4096;
  const auto map = [](int fd) {
    return ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
  };
  if (map(kSealedDescriptor)) return open_escape("mapped writable");
  if (::write(kSealedDescriptor, "x", 1) >= 0) return open_escape("written");
  if (::ftruncate(kSealedDescriptor, 0) == 0) return open_escape("truncated");
  const std::string path = "/proc/self/fd/" + std::to_string(kSealedDescriptor);
  const UniqueFd again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (again.valid() && map(again.get())) return open_escape("reopened and mapped writable");
  void* read_only = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, kSealedDescriptor, 0);
  return judge(::mprotect(read_only, kBytes, PROT_READ | PROT_WRITE), "mprotect");
}

EscapeAttempt inherited(const Bait&) {
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return not_applicable("/proc cannot be listed");
  std::string found;
  while (const dirent* entry = ::readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    const bool given = number <= 2 || number == kSealedDescriptor || number == kDaemonDescriptor;
    if (entry->d_name[0] != '.' && !given && number != ::dirfd(folder)) {
      found += std::string(" ") + entry->d_name;
    }
  }
  ::closedir(folder);
  return found.empty() ? blocked("none") : open_escape("descriptors" + found);
}

EscapeAttempt environment(const Bait&) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry) != "PATH=/usr/bin:/bin") return open_escape(*entry);
  }
  return blocked("it is what the selftest gave");
}

EscapeAttempt terminal(const Bait&) {
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC));
  if (!terminal.valid()) return judge(-1, "open /dev/tty");
  return judge(::ioctl(terminal.get(), TIOCSTI, ""), "TIOCSTI");
}

}  // namespace

void add_worker_escapes(EscapeTable& table) {
  table["fork"] = try_fork;
  table["spawn"] = spawn;
  table["execute"] = execute;
  table["execute_memfd"] = execute_memfd;
  table["sealed_inputs"] = sealed_inputs;
  table["inherited"] = inherited;
  table["environment"] = environment;
  table["terminal"] = terminal;
}

}  // namespace kbench
