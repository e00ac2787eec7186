// `kbench serve`: judges what clients send over HTTP. Returns the exit status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int serve_command(const ServeOptions& options, const Installation& installation);

}  // namespace kbench
