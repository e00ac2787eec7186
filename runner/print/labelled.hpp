// A message of several lines below its label: "error: …", and what follows indented under it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kbench {

// `text` may hold what the user typed or a file says: it is cleaned here.
void print_labelled(std::FILE* stream, const std::string& label, std::string_view text);

}  // namespace kbench
