// A warning of the program about itself.
#pragma once

#include <string>

#include "runner/installation/build_info.hpp"

namespace kbench {

// Every command of a debug build says this first; empty of a build whose times mean something.
[[nodiscard]] std::string debug_caution(const BuildInfo& info);

}  // namespace kbench
