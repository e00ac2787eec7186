// `kbench tasks lint`: every selected task against the mutations of runner/lint, one oracle for
// all; a table or JSON on standard output, the states into the database, from where every report
// shows them beside the task's results.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Exit codes: 0 all good, 1 a task fails or too many accept a flaw, 3 the machine's fault.
int lint_command(const LintOptions& options, const Installation& installation);

}  // namespace kbench
