// The next step where the system refuses to make or write a file.
#pragma once

#include <string_view>

namespace kbench {

// The hint for an errno, as a sentence; empty where nothing is known to help.
[[nodiscard]] std::string_view write_hint(int error);

}  // namespace kbench
