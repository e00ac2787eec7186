// `kbench serve`: judges what clients send over HTTP. Returns the exit status.
#pragma once

#include "runner/cli/installation.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

int serve_command(const ServeOptions& options, const Installation& installation);

}  // namespace kbench
