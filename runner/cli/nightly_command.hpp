// `kbench nightly`: a run, held against the last good ones; what looks slower or fails now is
// measured again until it is clear.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Exit status: 4 where a regression is confirmed; else 3 where something was our own fault or the
// machine's; else 0, whatever submissions failed as they did before.
int nightly_command(const NightlyOptions& options, const Installation& installation);

}  // namespace kbench
