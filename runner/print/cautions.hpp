// Cautions, errors and hints of the program, for the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "runner/installation/build_info.hpp"

namespace kbench {

// Every command of a debug build says this first; empty of a build whose times mean something.
[[nodiscard]] std::string debug_caution(const BuildInfo& info);

// A message of several lines below its label: "error: …", and what follows indented under it.
// `text` may hold what the user typed or a file says: it is cleaned here.
void print_labelled(std::FILE* stream, const std::string& label, std::string_view text);

}  // namespace kbench
