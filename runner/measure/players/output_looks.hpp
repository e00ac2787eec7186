// Bytes of a call's outputs that are looked at twice: as soon as the call is done, and once the
// player stands still. Drawn anew for each call, over all outputs alike.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "runner/task/task.hpp"

namespace kbench {

struct OutputLook {
  std::size_t output = 0;
  std::uint64_t byte = 0;  // byte of this output, counted as declared
};

class OutputLooks {
 public:
  explicit OutputLooks(const std::vector<TensorSpec>& outputs);
  // The bytes for the next call; all bytes if there are few.
  [[nodiscard]] std::vector<OutputLook> draw();

 private:
  [[nodiscard]] OutputLook at(std::uint64_t counted) const;

  std::vector<std::uint64_t> ends_;  // end of each output, counted through over all of them
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace kbench
