// `kbench help TOPIC`: prints a page of the manual, as the Markdown that it is.
#pragma once

#include <string>

#include "runner/installation/installation.hpp"

namespace kbench {

// `topic` is one of manual_topics(). Returns the exit status.
int help_command(const std::string& topic, const Installation& installation);

}  // namespace kbench
