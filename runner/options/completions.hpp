// Completion scripts for shells, made of the option table. Commands, options, the words that an
// option takes, and files or folders where it takes those. Tasks, runs, tags and agents are asked
// of `kbench names`, which reads a suite or a database and prints plain words alone. Pure.
#pragma once

#include <string>

#include "runner/options/option_table.hpp"

namespace kbench {

[[nodiscard]] std::string bash_completions(const CommandEntry& top);
[[nodiscard]] std::string zsh_completions(const CommandEntry& top);
[[nodiscard]] std::string fish_completions(const CommandEntry& top);

}  // namespace kbench
