// The words below the options of each command's --help: what it does, and examples that work. Asked
// by command_line; tests/cli/help_test.py tries the examples.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// Help of a command by its full name without the program's, "tasks lint"; "" is the program itself.
// Every one ends with the exit codes.
[[nodiscard]] std::string help_of(std::string_view command);

// The exit codes, with which every help ends.
[[nodiscard]] std::string exit_codes();

}  // namespace kbench
