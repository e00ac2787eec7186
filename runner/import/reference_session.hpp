// A user's own KernelBench problem as a task: imported once, by a Python with torch in a sandbox,
// and kept in the state folder.
#pragma once

#include <filesystem>

#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/import/reference.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Says what the task is called, and how weak the sandbox is where it is. Ctrl-C ends it. Errors:
// kUsage without a state folder; kInfrastructure, no Python with torch; those of take_reference.
[[nodiscard]] Result<KeptReference> import_reference(const std::filesystem::path& file,
                                                     const Installation& installation,
                                                     ProgressSink& progress);

}  // namespace kbench
