// A pipe whose ends are closed on exec.
#pragma once

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Errors: kInfrastructure with the system's reason; errno still holds it.
[[nodiscard]] Result<Pipe> make_pipe();

// The next read returns EAGAIN instead of waiting.
void never_block(int fd);

}  // namespace kbench
