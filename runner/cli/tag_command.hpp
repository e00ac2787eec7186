// `kbench tag`: gives a stored run a name, or takes one away. Changes no row of it. Returns the
// exit status.
#pragma once

#include "runner/cli/options.hpp"

namespace kbench {

int tag_command(const TagOptions& options);

}  // namespace kbench
