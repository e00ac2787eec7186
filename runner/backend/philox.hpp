// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel Random
// Numbers: As Easy as 1, 2, 3" (SC 2011): block n of a stream is a pure function of key and n, so
// every element of a tensor is drawn independently, in any order, on any device, to the same bits.
#pragma once

#include <cstdint>

#include "runner/backend/portable.hpp"

namespace kbench {

struct PhiloxBlock {
  std::uint32_t lane[4];
};

// Ten rounds over the counter (c0, c1, c2, c3) with the key (k0, k1).
KB_HD PhiloxBlock philox4x32(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3,
                             std::uint32_t k0, std::uint32_t k1) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85u;  // sqrt(3) - 1
#if defined(__CUDACC__)
#pragma unroll
#else
#pragma GCC unroll 10
#endif
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c0;
    const std::uint64_t product1 = kMultiplier1 * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product0);
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return {{c0, c1, c2, c3}};
}

// The words of one tensor: element i takes lane i % 4 of block i / 4.
struct PhiloxStream {
  std::uint32_t key_low = 0;
  std::uint32_t key_high = 0;
  std::uint32_t tensor_low = 0;
  std::uint32_t tensor_high = 0;  // combined with the stream constant

  // Sets the values of tensors apart from any other use of the generator under the same key.
  static constexpr std::uint32_t kTensorValues = 0x6B62766Cu;
  static constexpr std::uint32_t kTensorFactors = 0x6B626661u;  // factors of the values

  static constexpr PhiloxStream of(std::uint64_t key, std::uint64_t tensor,
                                   std::uint32_t use = kTensorValues) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32),
            static_cast<std::uint32_t>(tensor), static_cast<std::uint32_t>(tensor >> 32) ^ use};
  }

  [[nodiscard]] KB_HD PhiloxBlock block(std::uint64_t index) const {
    return philox4x32(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                      tensor_low, tensor_high, key_low, key_high);
  }
};

}  // namespace kbench
