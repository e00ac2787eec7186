// `kbench synth`: candidates of a grammar, or of files, through filters that execute them; what is
// left is a suite with a manifest. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int synth_command(const SynthOptions& options, const Installation& installation);

}  // namespace kbench
