// The program that the sandbox's tests run inside it: each word is one thing that a submission
// might do. Links nothing of ours.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using Counter = std::atomic<std::uint64_t>;

[[noreturn]] void count_for_ever(int fd) {
  void* memory = ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) ::_exit(20);
  auto* counter = static_cast<Counter*>(memory);
  while (true) counter->fetch_add(1);
}

// One counting thread besides the main one, and a child whose parent has gone: what a freeze must
// find.
int count_everywhere(int fd) {
  if (::fork() == 0) {
    if (::fork() == 0) {
      ::setsid();
      count_for_ever(fd);
    }
    ::_exit(0);
  }
  std::thread(count_for_ever, fd).detach();
  count_for_ever(fd);
}

// The same with a leader that has ended: a process whose state is 'Z' and whose threads run.
[[noreturn]] void count_without_leader(int fd) {
  if (::fork() == 0) {
    std::thread(count_for_ever, fd).detach();
    ::syscall(SYS_exit, 0);
  }
  while (true) ::pause();
}

// Threads that start the next one and end: there is always one, and never the same.
void relay(int fd) {
  auto* counter = static_cast<Counter*>(
      ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  for (int i = 0; i < 1000; ++i) counter->fetch_add(1);
  std::thread(relay, fd).detach();
}

// Threads that continue their process whenever they are stopped, while others count.
[[noreturn]] void continue_for_ever(int fd) {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      while (true) ::kill(::getpid(), SIGCONT);
    }).detach();
  }
  count_for_ever(fd);
}

// Leaves a daemon behind that holds every descriptor open, then waits or ends.
int leave_daemon(bool stay) {
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::signal(SIGTERM, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      while (true) ::pause();
    }
    ::_exit(0);
  }
  std::puts("ready");
  std::fflush(stdout);
  while (stay) ::pause();
  return 0;
}

// Forks until it is refused, each child a session leader that goes on forking.
int fork_bomb() {
  int refused = 0;
  int made = 0;
  while (refused < 100) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      while (true) {
        if (::fork() < 0) ::usleep(1000);
      }
    }
    if (child > 0) ++made;
    if (child < 0 && ++refused == 1) {
      std::puts("refused");
      std::fflush(stdout);
    }
    ::usleep(100);
  }
  return made > 0 ? 0 : 21;
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return 22;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : 23;
}

int list_descriptors() {
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return 24;
  const std::string own = std::to_string(::dirfd(folder));
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.' && own != entry->d_name) std::puts(entry->d_name);
  }
  ::closedir(folder);
  return 0;
}

int write_to(const char* path) {
  const int fd = ::open(path, O_WRONLY | O_CREAT, 0644);
  if (fd < 0) return 25;
  return ::write(fd, "x", 1) == 1 ? 0 : 26;
}

int fill(const char* path) {
  ::signal(SIGXFSZ, SIG_IGN);
  const int fd = ::open(path, O_WRONLY | O_CREAT, 0644);
  if (fd < 0) return 25;
  const std::vector<char> block(65536, 'x');
  while (::write(fd, block.data(), block.size()) > 0) {
  }
  return errno == EFBIG ? 0 : 27;
}

int allocate(std::size_t bytes) {
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? 28 : 0;
}

int flood() {
  const std::string block(65536, 'y');
  for (int i = 0; i < 256; ++i) {
    if (::write(1, block.data(), block.size()) < 0) return 29;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  const std::string text = argc > 2 ? argv[2] : "0";
  const int number = std::atoi(text.c_str());
  if (word == "exit") return number;
  if (word == "signal") return ::raise(number);
  if (word == "count") return count_everywhere(number);
  if (word == "count-without-leader") count_without_leader(number);
  if (word == "relay") relay(number), ::pause();
  if (word == "continue") continue_for_ever(number);
  if (word == "daemon") return leave_daemon(true);
  if (word == "daemon-and-end") return leave_daemon(false);
  if (word == "bomb") return fork_bomb();
  if (word == "connect") return connect_to(number);
  if (word == "descriptors") return list_descriptors();
  if (word == "write") return write_to(text.c_str());
  if (word == "fill") return fill(text.c_str());
  if (word == "allocate") return allocate(std::strtoull(text.c_str(), nullptr, 10));
  if (word == "flood") return flood();
  if (word == "read") return ::open(text.c_str(), O_RDONLY) >= 0 ? 0 : 30;
  if (word == "truncate") return ::truncate(text.c_str(), 0) == 0 ? 0 : 31;
  if (word == "spin") {
    for (volatile int spin = 1; spin != 0;) {
    }
  }
  if (word == "sleep") ::sleep(1000);
  return 64;
}
