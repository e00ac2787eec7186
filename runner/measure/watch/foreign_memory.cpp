#include "runner/measure/watch/foreign_memory.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace kbench {
namespace {

constexpr std::size_t kMostPieces = 512;        // pieces of one system call; the kernel takes 1,024
constexpr std::uint64_t kMostBytes = 1u << 30;  // bytes of a call; the kernel takes nearly 2 GiB

// This thread alone has the real user and group of the process for a while: by these the kernel
// decides. Root without CAP_SYS_PTRACE may not read another user's process; that user may.
class AsItsUser {
 public:
  explicit AsItsUser(pid_t process) {
    struct stat info {};
    const std::string folder = "/proc/" + std::to_string(process);
    if (::geteuid() != 0 || ::stat(folder.c_str(), &info) != 0) return;
    ::syscall(SYS_setresgid, info.st_gid, -1, -1);
    ::syscall(SYS_setresuid, info.st_uid, -1, -1);
    changed_ = true;
  }
  ~AsItsUser() {
    if (!changed_) return;
    ::syscall(SYS_setresuid, user_, -1, -1);
    ::syscall(SYS_setresgid, group_, -1, -1);
  }
  AsItsUser(const AsItsUser&) = delete;
  AsItsUser& operator=(const AsItsUser&) = delete;

 private:
  uid_t user_ = ::getuid();
  gid_t group_ = ::getgid();
  bool changed_ = false;
};

ssize_t read_some(pid_t process, const iovec& to, std::span<const iovec> from) {
  const auto call = [&] {
    return ::process_vm_readv(process, &to, 1, from.data(), from.size(), 0);
  };
  const ssize_t got = call();
  if (got >= 0 || errno != EPERM) return got;
  const AsItsUser user(process);
  return call();
}

Error cannot_read(int error) {
  if (error == EFAULT) {
    return {ErrorCode::kSubmission, "nothing that can be read lies where an output should be",
            "return tensors that torch has made, or over memory that stays mapped"};
  }
  return {ErrorCode::kInfrastructure,
          std::string("a worker's memory cannot be read: ") + std::strerror(error), ""};
}

}  // namespace

bool ForeignMemory::is_open() const {
  // The kernel decides whether the memory may be looked at before it looks at the address: where it
  // may, nothing lies at 0.
  std::byte nothing{};
  const iovec to{&nothing, 1};
  const std::array<iovec, 1> from{{{nullptr, 1}}};
  return read_some(process_, to, from) >= 0 || errno == EFAULT;
}

Status ForeignMemory::read(std::span<const MemoryPiece> pieces, std::byte* to) const {
  std::size_t next = 0;
  std::uint64_t done = 0;  // bytes read of piece `next`
  while (next < pieces.size()) {
    std::array<iovec, kMostPieces> from;
    std::size_t count = 0;
    std::uint64_t wanted = 0;
    std::uint64_t skipped = done;
    for (std::size_t i = next; i < pieces.size() && count < from.size() && wanted < kMostBytes;
         ++i) {
      const std::uint64_t bytes = std::min(pieces[i].bytes - skipped, kMostBytes - wanted);
      from[count++] = {reinterpret_cast<void*>(pieces[i].address + skipped), bytes};
      wanted += bytes;
      skipped = 0;
    }
    const ssize_t got = read_some(process_, {to, wanted}, std::span(from).first(count));
    if (got < 0 || (got == 0 && wanted > 0)) return cannot_read(got < 0 ? errno : EFAULT);
    to += got;
    for (done += static_cast<std::uint64_t>(got);
         next < pieces.size() && done >= pieces[next].bytes; ++next)
      done -= pieces[next].bytes;
  }
  return Done{};
}

}  // namespace kbench
