// Completion scripts for shells, made of the option table. Commands, options, the words that an
// option takes, and files or folders where it takes those; nothing is run to complete a line. Pure.
#pragma once

#include <string>

#include "runner/options/option_table.hpp"

namespace kbench {

[[nodiscard]] std::string bash_completions(const CommandEntry& top);
[[nodiscard]] std::string zsh_completions(const CommandEntry& top);
[[nodiscard]] std::string fish_completions(const CommandEntry& top);

}  // namespace kbench
