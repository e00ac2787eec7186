// Bombs, each with an end of its own: where nothing stops one, it stops itself a little beyond the
// limit that it was given, and the machine stays well.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

constexpr int kMany = 200;
constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kTooMuchMemory = 256 * kMiB;

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what;
}

// How many MiB could be written before it failed.
std::size_t fill(int fd, std::size_t most) {
  const std::vector<char> block(kMiB, 'x');
  std::size_t written = 0;
  while (written < most &&
         ::write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size())) {
    ++written;
  }
  return written;
}

EscapeAttempt fork_bomb(const Bait&) {
  std::vector<pid_t> children;
  while (children.size() < kMany) {
    const pid_t child = ::fork();
    if (child < 0) break;
    if (child == 0) {
      ::alarm(20);
      while (true) ::pause();
    }
    children.push_back(child);
  }
  const EscapeAttempt result = children.size() < kMany
                                   ? blocked("stopped after " + count(children.size(), "processes"))
                                   : open_escape(count(children.size(), "processes started"));
  for (const pid_t child : children) ::kill(child, SIGKILL);
  return result;
}

void* sleep_on(void*) {
  while (true) ::pause();
}

EscapeAttempt thread_bomb(const Bait&) {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, 64 << 10);
  std::size_t made = 0;
  for (pthread_t thread{}; made < kMany; ++made) {
    if (::pthread_create(&thread, &attributes, sleep_on, nullptr) != 0) break;
  }
  return made < kMany ? blocked("stopped after " + count(made, "threads"))
                      : open_escape(count(made, "threads started"));
}

EscapeAttempt memory_bomb(const Bait&) {
  void* memory = ::mmap(nullptr, kTooMuchMemory, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return judge(-1, "mmap");
  auto* bytes = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < kTooMuchMemory; at += 4096) bytes[at] = 1;
  return open_escape("256 MiB in use");
}

EscapeAttempt memfd_bomb(const Bait&) {
  std::size_t filled = 0;
  while (filled * kMiB < kTooMuchMemory) {
    const int file = ::memfd_create("bomb", MFD_CLOEXEC);  // kept open
    const std::size_t more = file < 0 ? 0 : fill(file, 4);
    if (more == 0) return blocked("stopped after " + count(filled, "MiB"));
    filled += more;
  }
  return open_escape(count(filled, "MiB in use"));
}

EscapeAttempt tmpfs_bomb(const Bait& bait) {
  constexpr std::size_t kMost = 1100;  // MiB: a little more than both folders together may hold
  std::vector<std::string> made;
  std::size_t filled = 0;
  for (std::size_t before = 1; filled < kMost && before != filled;) {
    before = filled;
    for (const char* folder : {"/tmp/", "/dev/shm/"}) {
      const std::string path = folder + bait.marker + std::to_string(made.size());
      const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      if (!file.valid()) continue;
      made.push_back(path);
      filled += fill(file.get(), 4);
    }
  }
  for (const std::string& path : made) ::unlink(path.c_str());
  return filled < kMost ? blocked("stopped after " + count(filled, "MiB"))
                        : open_escape(count(filled, "MiB written"));
}

EscapeAttempt descriptor_bomb(const Bait&) {
  constexpr int kMost = 20000;
  int opened = 0;
  while (opened < kMost && ::open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) ++opened;
  const std::string text = count(static_cast<std::size_t>(opened), "descriptors");
  return opened < kMost ? blocked("stopped after " + text) : open_escape(text + " opened");
}

EscapeAttempt file_bomb(const Bait& bait) {
  ::signal(SIGXFSZ, SIG_IGN);
  const UniqueFd file(
      ::open((bait.scratch + "/bomb").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return judge(-1, "open");
  const std::size_t written = fill(file.get(), 32);
  return written < 32 ? blocked("stopped after " + count(written, "MiB"))
                      : open_escape(count(written, "MiB written"));
}

EscapeAttempt core_bomb(const Bait&) {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  return limit.rlim_max == 0 ? blocked("core dumps are limited to nothing")
                             : open_escape("a crash may write a core dump");
}

[[noreturn]] EscapeAttempt endless_loop(const Bait&) {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
  volatile unsigned spins = 0;
  while (true) spins = spins + 1;
}

// The grandchild holds the pipe for a minute, if it is let.
EscapeAttempt daemon_that_stays(const Bait&) {
  const pid_t child = ::fork();
  if (child < 0) return judge(-1, "fork");
  if (child == 0) {
    ::setsid();
    if (::fork() == 0) {
      for (const int number : {SIGTERM, SIGHUP, SIGINT}) ::signal(number, SIG_IGN);
      ::alarm(60);
      while (true) ::pause();
    }
    ::_exit(0);
  }
  ::usleep(100'000);
  return open_escape("a daemon was started");
}

EscapeAttempt flood(const Bait&) {
  const std::string block(kMiB, 'y');
  for (int i = 0; i < 32; ++i) std::fwrite(block.data(), 1, block.size(), stdout);
  return blocked("");
}

}  // namespace

void add_bombs(EscapeTable& table) {
  table["fork_bomb"] = fork_bomb;
  table["thread_bomb"] = thread_bomb;
  table["memory_bomb"] = memory_bomb;
  table["memfd_bomb"] = memfd_bomb;
  table["tmpfs_bomb"] = tmpfs_bomb;
  table["descriptor_bomb"] = descriptor_bomb;
  table["file_bomb"] = file_bomb;
  table["core_bomb"] = core_bomb;
  table["endless_loop"] = endless_loop;
  table["daemon"] = daemon_that_stays;
  table["flood"] = flood;
}

}  // namespace kbench
