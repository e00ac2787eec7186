// Memory that lies in no cache afterwards, of no core and of any size: moved past the caches, or
// taken out of them line by line. A flush that streams through a buffer does so only where it is
// larger than the last-level cache, and some have hundreds of megabytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbench::cpu {

// Pieces that a thread takes when several move or evict memory, bytes.
inline constexpr std::uint64_t kMemoryPiece = std::uint64_t{1} << 20;

// `destination` is a multiple of 16, as all buffers of ours are.
void copy_cold(std::byte* destination, const std::byte* source, std::uint64_t bytes);
void fill_cold(std::byte* destination, std::uint8_t value, std::uint64_t bytes);

// Evicts the lines from all caches, so that written values are in memory. Any address.
void evict(const void* memory, std::uint64_t bytes);

}  // namespace kbench::cpu
