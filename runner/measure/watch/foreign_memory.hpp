// Reads the memory of a worker's process from outside, without its help: no code of it runs for
// that, no handler of a fault either. It stands still meanwhile, or may change what is being read.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runner/core/result.hpp"

namespace kbench {

struct MemoryPiece {
  std::uint64_t address = 0;  // address in the process
  std::uint64_t bytes = 0;
};

class ForeignMemory {
 public:
  explicit ForeignMemory(pid_t process) : process_(process) {}

  // True if the kernel lets us read: it wants the right to trace, or a process of our own user that
  // is not closed to others.
  [[nodiscard]] bool is_open() const;
  // Reads the pieces, one behind the other. Errors: kSubmission where nothing that can be read lies
  // there; kInfrastructure where the kernel does not let us.
  Status read(std::span<const MemoryPiece> pieces, std::byte* to) const;

 private:
  pid_t process_;
};

}  // namespace kbench
