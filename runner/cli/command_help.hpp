// The words below the options of each command's --help: what it does, and examples that work, which
// tests/cli/help_test.py tries. They are files of data/help, compiled in.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kbench {

// Help of a command by its full name without the program's, "tasks lint"; "" is the program itself.
// A command without words of its own has those of the one above it. Every one ends with the exit
// codes.
[[nodiscard]] std::string help_of(std::string_view command);

// A file of data/help: "tasks lint" is tasks-lint.txt, and "" is kbench.txt.
struct HelpText {
  std::string_view command;
  std::string_view text;
};
[[nodiscard]] std::span<const HelpText> help_texts();

// The exit codes, with which every help ends.
[[nodiscard]] std::string exit_codes();

}  // namespace kbench
