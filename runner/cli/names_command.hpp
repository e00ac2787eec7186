// `kbench names`: the tasks, runs, tags and agents that there are, a line each, for the scripts
// that complete a command line. It measures nothing and says nothing but names.
#pragma once

#include <string_view>

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

// Whether a shell may be shown the word: letters, digits and _ . / @ + - ~ alone, and no dash in
// front. A shell expands words that it completes, and a database may be of any origin.
[[nodiscard]] bool is_plain_word(std::string_view word);

}  // namespace kbench
