// `kbench db check|backup|prune|vacuum|salvage|merge`: what a database needs that lives for years.
// What each does is in runner/store; here are words and exit codes.
#pragma once

#include "runner/cli/db_options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Returns the exit status: 1 where check found something wrong, salvage lost a run, or merge
// refused one.
[[nodiscard]] int db_command(const DbOptions& options, const Installation& installation);

}  // namespace kbench
