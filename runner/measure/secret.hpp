// The secret of an evaluation, and what is drawn from it: keys of inputs, the order of sides. The
// seed is random, stays in the supervisor while the evaluation runs, and is stored with it
// afterwards, so that every draw can be repeated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// 256 random bits from the kernel, hex.
[[nodiscard]] std::string random_seed();

// A seed of the same form, for what a chosen seed draws, apart for each `what`: "level1/019_relu
// small". It is no secret to those who know the chosen seed.
[[nodiscard]] std::string known_seed(std::int64_t chosen, std::string_view what);

class KeySchedule {
 public:
  explicit KeySchedule(std::string seed) : seed_(std::move(seed)) {}

  // The first 64 bits of SHA-256(seed, purpose, index).
  [[nodiscard]] std::uint64_t key(std::string_view purpose, std::uint64_t index) const;

 private:
  std::string seed_;
};

// The order in which a block visits its sides: Fisher-Yates, driven by the 64 bits of `key`. The
// block's second visit mirrors it, so that a drift of the machine cancels within the block.
[[nodiscard]] std::vector<Side> shuffled(std::vector<Side> sides, std::uint64_t key);

}  // namespace kbench
