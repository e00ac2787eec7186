// A program outside of the sandbox, by the same interface: what cannot be confined yet.
#pragma once

#include <memory>

#include "runner/core/result.hpp"
#include "runner/os/child_process.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// The processes that it starts are stopped and counted, it itself is not. It ends with this object.
[[nodiscard]] Result<std::unique_ptr<SandboxedProcess>> start_unconfined(const ChildPlan& plan);

}  // namespace kbench
