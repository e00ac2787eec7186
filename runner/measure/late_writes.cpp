#include "runner/measure/late_writes.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kbench {
namespace {

constexpr std::uint64_t kLooks = 64;
constexpr std::uint64_t kLineBytes = 64;

}  // namespace

Result<LateWrites> LateWrites::watch(int arena, std::uint64_t bytes,
                                     const std::vector<TensorSpec>& outputs) {
  // Cut off by the submission, the next look at it would end kbench.
  const int seals = ::fcntl(arena, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return Error{ErrorCode::kInfrastructure, "a submission's outputs can be cut off", ""};
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, arena, 0);
  if (mapped == MAP_FAILED) {
    return Error{ErrorCode::kInfrastructure,
                 std::string("cannot map a submission's outputs: ") + std::strerror(errno), ""};
  }
  LateWrites watch(static_cast<const std::byte*>(mapped), bytes);
  const Layout layout = pack(outputs);
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t own = outputs[i].bytes();
    counted += own;
    watch.ranges_.push_back({.offset = layout.offsets[i], .end = counted, .bytes = own});
  }
  return watch;
}

LateWrites::LateWrites(LateWrites&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)),
      arena_bytes_(other.arena_bytes_),
      ranges_(std::move(other.ranges_)),
      chosen_(std::move(other.chosen_)),
      seen_(std::move(other.seen_)),
      random_(other.random_) {}

LateWrites::~LateWrites() {
  if (arena_ != nullptr) ::munmap(const_cast<std::byte*>(arena_), arena_bytes_);
}

std::uint64_t LateWrites::offset_of(std::uint64_t counted) const {
  const auto range = std::upper_bound(ranges_.begin(), ranges_.end(), counted,
                                      [](std::uint64_t at, const Range& r) { return at < r.end; });
  return range->offset + range->bytes - (range->end - counted);
}

// Reading them once maps their pages: later it takes no longer than the memory does.
void LateWrites::choose(std::uint64_t output_base) {
  chosen_.clear();
  const std::uint64_t all = ranges_.empty() ? 0 : ranges_.back().end;
  if (all == 0) return;
  const auto add = [&](std::uint64_t counted) {
    chosen_.push_back(output_base + offset_of(counted));
  };
  if (all <= kLooks) {
    for (std::uint64_t i = 0; i < all; ++i) add(i);
  } else {
    for (std::uint64_t i = 0; i < kLooks; ++i) add(random_() % all);
  }
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
