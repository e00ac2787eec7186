#include "runner/selftest/bait.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The word that process_vm_readv would read in the victim, which is a fork and so has it at the
// same place.
constexpr std::uint64_t kSecretWord = 0x6b62656e63682121;

Error failed(const std::string& what) {
  return {ErrorCode::kInfrastructure, "selftest: " + what + ": " + std::strerror(errno), ""};
}

Status write_file(const fs::path& path) {
  std::ofstream file(path);
  file << "bait\n";
  file.close();
  if (!file) return failed("cannot write " + path.string());
  ::chmod(path.c_str(), 0644);
  return Done{};
}

// A listening socket on the loopback interface; its port goes to `port`, 0 where there is none.
template <class Address>
UniqueFd listen_on(Address address, std::uint16_t Address::*member, int& port) {
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  UniqueFd socket(::socket(generic->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  socklen_t size = sizeof address;
  if (socket.valid() && ::bind(socket.get(), generic, size) == 0 &&
      ::listen(socket.get(), 16) == 0 && ::getsockname(socket.get(), generic, &size) == 0) {
    port = ntohs(address.*member);
  }
  return socket;
}

UniqueFd listen_on_unix(const std::string& name, bool abstract) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  char* start = address.sun_path + (abstract ? 1 : 0);
  const std::size_t length = name.copy(start, sizeof address.sun_path - 2);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) {
    ::listen(socket.get(), 16);
  }
  return socket;
}

std::string home_folder() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "/root";
}

}  // namespace

Result<BaitLayout> BaitLayout::make() {
  BaitLayout layout;
  if (auto made = layout.make_files(); !made) return made.error();
  if (auto made = layout.make_sealed_inputs(); !made) return made.error();
  layout.make_sockets();
  layout.make_shared_memory();
  if (auto started = layout.start_victim(); !started) return started.error();
  return layout;
}

BaitLayout::BaitLayout(BaitLayout&& other) noexcept
    : bait_(std::move(other.bait_)),
      folder_(std::exchange(other.folder_, {})),
      sockets_(std::move(other.sockets_)),
      sealed_(std::move(other.sealed_)),
      segment_(std::exchange(other.segment_, -1)),
      victim_(std::exchange(other.victim_, -1)),
      scratches_(other.scratches_) {}

BaitLayout::~BaitLayout() {
  if (victim_ > 0) {
    ::kill(victim_, SIGKILL);
    ::waitpid(victim_, nullptr, 0);
  }
  if (segment_ >= 0) ::shmctl(segment_, IPC_RMID, nullptr);
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

Status BaitLayout::make_files() {
  // Not below /tmp: sandboxes may have a /tmp of their own, and then everything there is hidden.
  std::string name = "/var/tmp/kbench-selftest-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return failed("cannot make " + name);
  folder_ = name;
  ::chmod(folder_.c_str(), 0755);
  bait_.marker = "kbench-marker-" + name.substr(name.size() - 6);
  bait_.secret = folder_ / "secret";
  bait_.submission = folder_ / "alice.so";
  bait_.database = folder_ / "kbench.sqlite";
  bait_.library = folder_ / "library.so";
  bait_.home = home_folder();
  bait_.supervisor = ::getpid();
  for (const auto& path : {bait_.secret, bait_.submission, bait_.database, bait_.library}) {
    if (auto written = write_file(path); !written) return written;
  }
  return Done{};
}

Status BaitLayout::make_sealed_inputs() {
  constexpr int kFutureWrite = 0x0010;  // F_SEAL_FUTURE_WRITE
  sealed_ = UniqueFd(::memfd_create("kbench-selftest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!sealed_.valid() || ::ftruncate(sealed_.get(), 4096) != 0 ||
      ::fcntl(sealed_.get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | kFutureWrite) != 0) {
    return failed("cannot make sealed memory");
  }
  return Done{};
}

// Makes the sockets. One that cannot be made is left out, and the escapes that need it do not
// apply.
void BaitLayout::make_sockets() {
  sockaddr_in address4{};
  address4.sin_family = AF_INET;
  address4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockets_.push_back(listen_on(address4, &sockaddr_in::sin_port, bait_.tcp4));
  sockaddr_in6 address6{};
  address6.sin6_family = AF_INET6;
  address6.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  sockets_.push_back(listen_on(address6, &sockaddr_in6::sin6_port, bait_.tcp6));
  bait_.unix_path = folder_ / "socket";
  sockets_.push_back(listen_on_unix(bait_.unix_path, false));
  ::chmod(bait_.unix_path.c_str(), 0777);
  bait_.unix_abstract = bait_.marker;
  sockets_.push_back(listen_on_unix(bait_.unix_abstract, true));
}

void BaitLayout::make_shared_memory() {
  bait_.shared_memory_key = 0x6b620000 | (::getpid() & 0xffff);
  segment_ = ::shmget(bait_.shared_memory_key, 4096, IPC_CREAT | IPC_EXCL | 0666);
  if (segment_ < 0) bait_.shared_memory_key = 0;
}

Status BaitLayout::start_victim() {
  bait_.address = reinterpret_cast<std::uint64_t>(&kSecretWord);
  const pid_t parent = ::getpid();
  victim_ = ::fork();
  if (victim_ < 0) return failed("cannot fork");
  if (victim_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (::getppid() == parent) ::pause();
    ::_exit(0);
  }
  bait_.victim = victim_;
  return Done{};
}

Result<fs::path> BaitLayout::new_scratch() {
  fs::path scratch = folder_ / ("scratch" + std::to_string(scratches_++));
  if (::mkdir(scratch.c_str(), 0755) != 0) return failed("cannot make " + scratch.string());
  return scratch;
}

bool BaitLayout::victim_lives() {
  if (::waitpid(victim_, nullptr, WNOHANG) == 0) return true;
  (void)start_victim();
  return false;
}

bool BaitLayout::marker_appeared() const {
  bool appeared = false;
  for (const char* folder : {"/tmp/", "/dev/shm/", "/var/tmp/"}) {
    appeared |= ::unlink((folder + bait_.marker).c_str()) == 0;
  }
  return appeared;
}

}  // namespace kbench
