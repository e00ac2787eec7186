// Completion scripts for shells, made of the option table. Commands, options, the words that an
// option takes, and files or folders where it takes those. Tasks, runs, tags and agents are asked
// of `kbench names`, which reads a suite or a database and prints plain words alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/options/option_table.hpp"

namespace kbench {

[[nodiscard]] std::string bash_completions(const CommandEntry& top);
[[nodiscard]] std::string zsh_completions(const CommandEntry& top);
[[nodiscard]] std::string fish_completions(const CommandEntry& top);
// The completions of a shell: "bash", "zsh" or "fish".
[[nodiscard]] std::string completions_of(const CommandEntry& top, std::string_view shell);

// Whether a shell may be shown the word: letters, digits and _ . / @ + - ~ alone, and no dash in
// front. A shell expands words that it completes, and a database may be of any origin.
[[nodiscard]] bool is_plain_word(std::string_view word);

// The value of an option on the line that is completed: "--db x", "--db=x", or the three words that
// bash makes of that.
[[nodiscard]] std::optional<std::string> value_on_line(const std::vector<std::string>& line,
                                                       const std::string& option);

}  // namespace kbench
