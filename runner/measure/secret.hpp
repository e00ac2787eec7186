// The secret of an evaluation and the keys of its draws. The seed is random, stays in the
// supervisor while the evaluation runs and is stored with it afterwards, so that every input can be
// drawn again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kbench {

// 256 random bits from the kernel, hex.
[[nodiscard]] std::string random_seed();

// The same form for what a seed that was chosen draws, apart for each `what`: "level1/019_relu
// small". Whoever knows the chosen one knows this.
[[nodiscard]] std::string known_seed(std::int64_t chosen, std::string_view what);

class KeySchedule {
 public:
  explicit KeySchedule(std::string seed) : seed_(std::move(seed)) {}

  // The first 64 bits of SHA-256(seed, purpose, index).
  [[nodiscard]] std::uint64_t key(std::string_view purpose, std::uint64_t index) const;

 private:
  std::string seed_;
};

}  // namespace kbench
