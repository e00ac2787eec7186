// The options of `kbench db` and its commands.
#pragma once

#include "runner/cli/command_options.hpp"
#include "runner/cli/db_options.hpp"

namespace kbench {

CLI::App* add_db(CLI::App& app, DbOptions& options);

}  // namespace kbench
