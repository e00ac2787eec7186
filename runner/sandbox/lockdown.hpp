// Rights that a worker gives up for good just before it loads a submission: starting programs or
// processes, signals to others, all that could continue it while it is stopped, and all that
// FilterRules::common names. Threads, CUDA and files stay as they are. kbench-worker does it
// between opening its device and dlopen, so that the submission's constructors are bound as well;
// every thread of the process is covered, libcuda's too.
#pragma once

#include "runner/core/result.hpp"

namespace kbench {

// Returns true once it is in force, which is tried by doing what is denied; false where the kernel
// has no system call filters (the row's sandbox level says so then). Errors: kInfrastructure, where
// the kernel has them and they did not come into force: do not load the submission then.
[[nodiscard]] Result<bool> lock_down();

// Lets no memory of this process become executable from now on, once the submission is loaded on a
// CPU: it runs no code but what was mapped by then, which can be looked at from outside. (CUDA
// compiles and loads code later.) True once it is in force, false where the kernel has no filters.
// Errors: kSubmission, where one of its threads is in the way.
[[nodiscard]] Result<bool> allow_no_new_code();

}  // namespace kbench
