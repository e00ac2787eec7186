// `kbench run FILE --reference ref.py`: the task that FILE is run for is the one that the reference
// becomes.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// The same options with suite and task of the reference; as they are without one. Says on standard
// error what the reference is called. Errors: those of take_reference; kUsage without a folder of
// the user's to keep it in.
[[nodiscard]] Result<RunOptions> with_reference(const RunOptions& options,
                                                const Installation& installation);

}  // namespace kbench
