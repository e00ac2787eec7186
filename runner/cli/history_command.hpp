// `kbench history`: one task over the stored runs of a device. Opens the database read-only, and
// measures nothing. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int history_command(const HistoryOptions& options, const Installation& installation);

}  // namespace kbench
