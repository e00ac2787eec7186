// A program in the sandbox that somebody may want to be over with before it ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// run_to_end(), which is over as well soon after `stop` says so; `timed_out` is set then, too.
// `stop` may be empty.
[[nodiscard]] Result<ProgramOutput> run_until_stopped(Sandbox& sandbox, SandboxCommand command,
                                                      std::chrono::milliseconds timeout,
                                                      std::size_t max_output,
                                                      const OnOutput& on_output,
                                                      const std::function<bool()>& stop);

}  // namespace kbench
