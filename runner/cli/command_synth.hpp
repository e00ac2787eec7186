// The options of `kbench synth`.
#pragma once

#include <CLI/CLI.hpp>

#include "runner/cli/options.hpp"

namespace kbench {

CLI::App* add_synth(CLI::App& app, SynthOptions& options);

}  // namespace kbench
