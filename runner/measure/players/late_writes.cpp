#include "runner/measure/players/late_writes.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kbench {
namespace {

constexpr std::uint64_t kLineBytes = 64;

}  // namespace

Result<LateWrites> LateWrites::watch(int arena, std::uint64_t bytes,
                                     const std::vector<TensorSpec>& outputs) {
  // If the submission cut the arena off, our next look at it would end kbench.
  const int seals = ::fcntl(arena, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return Error{ErrorCode::kInfrastructure, "a submission's outputs can be cut off", ""};
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, arena, 0);
  if (mapped == MAP_FAILED) {
    return Error{ErrorCode::kInfrastructure,
                 std::string("cannot map a submission's outputs: ") + std::strerror(errno), ""};
  }
  return LateWrites(static_cast<const std::byte*>(mapped), bytes, outputs);
}

LateWrites::LateWrites(LateWrites&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)),
      arena_bytes_(other.arena_bytes_),
      offsets_(std::move(other.offsets_)),
      looks_(std::move(other.looks_)),
      chosen_(std::move(other.chosen_)),
      seen_(std::move(other.seen_)) {}

LateWrites::~LateWrites() {
  if (arena_ != nullptr) ::munmap(const_cast<std::byte*>(arena_), arena_bytes_);
}

// Reading them once maps their pages: later it takes no longer than the memory does.
void LateWrites::choose(std::uint64_t output_base) {
  chosen_.clear();
  for (const OutputLook& look : looks_.draw())
    chosen_.push_back(output_base + offsets_[look.output] + look.byte);
  std::erase_if(chosen_,
                [&](std::uint64_t at) { return at / kLineBytes >= arena_bytes_ / kLineBytes; });
  (void)read();
}

std::vector<std::byte> LateWrites::read() const {
  std::vector<std::byte> lines(chosen_.size() * kLineBytes);
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    std::memcpy(&lines[i * kLineBytes], arena_ + chosen_[i] / kLineBytes * kLineBytes, kLineBytes);
  return lines;
}

void LateWrites::remember() { seen_ = read(); }

bool LateWrites::found() const { return seen_ != read(); }

}  // namespace kbench
