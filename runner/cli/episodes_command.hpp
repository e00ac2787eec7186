// `kbench episodes list|show`: what agents said and did, as the database has it. Returns the exit
// status.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int episodes_command(const EpisodesRequest& request, const Installation& installation);

}  // namespace kbench
