#include "runner/backend/cpu/memfd_arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kbench::cpu {

namespace {

Error failed(const char* call, std::uint64_t bytes, int error) {
  const bool full = error == ENOMEM || error == ENOSPC || error == EFBIG;
  return {full ? ErrorCode::kDoesNotFit : ErrorCode::kInfrastructure,
          fmt::format("{} for an arena of {} bytes: {}", call, bytes,
                      std::generic_category().message(error)),
          full ? "free some memory, or choose a smaller size" : ""};
}

class MemfdArena : public SharedArena {
 public:
  MemfdArena(UniqueFd fd, void* data, std::uint64_t bytes)
      : fd_(std::move(fd)), data_(data), bytes_(bytes) {}
  MemfdArena(const MemfdArena&) = delete;
  MemfdArena& operator=(const MemfdArena&) = delete;
  ~MemfdArena() override { ::munmap(data_, bytes_); }

  [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] int fd() const override { return fd_.get(); }

  Status seal() override {
    if (sealed_) return Done{};
    // The seals are set in two steps: the second forbids every further seal, so the first must have
    // succeeded.
    for (const int seals : {F_SEAL_FUTURE_WRITE, F_SEAL_SEAL}) {
      if (::fcntl(fd_.get(), F_ADD_SEALS, seals) != 0) {
        return failed("fcntl(F_ADD_SEALS)", bytes_, errno);
      }
    }
    sealed_ = true;
    return Done{};
  }

 private:
  UniqueFd fd_;
  void* data_;
  std::uint64_t bytes_;
  bool sealed_ = false;
};

}  // namespace

Result<std::unique_ptr<SharedArena>> create_memfd_arena(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  if (bytes > kLargest) return failed("create", bytes, ENOMEM);
  const std::uint64_t size = std::max<std::uint64_t>((bytes + page - 1) / page, 1) * page;

  UniqueFd fd(::memfd_create("kbench-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return failed("memfd_create", size, errno);
  // fallocate and not ftruncate alone: pages that do not exist yet would end in SIGBUS later.
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) return failed("ftruncate", size, errno);
  int allocated = 0;
  do {
    allocated = ::fallocate(fd.get(), 0, 0, static_cast<off_t>(size));
  } while (allocated != 0 && errno == EINTR);
  if (allocated != 0) return failed("fallocate", size, errno);
  // The receiver of the descriptor must not cut the file off: our next look at it would be a
  // SIGBUS.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return failed("fcntl(F_ADD_SEALS)", size, errno);
  void* data =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
  if (data == MAP_FAILED) return failed("mmap", size, errno);
  return std::unique_ptr<SharedArena>(std::make_unique<MemfdArena>(std::move(fd), data, size));
}

}  // namespace kbench::cpu
