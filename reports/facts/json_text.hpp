// JSON as the text that is written: pure ASCII, so that nothing in it can steer a terminal, and no
// byte lost.
#pragma once

#include <string>

#include "runner/core/json.hpp"

namespace kbench {

// Indented by `indent` blanks, or on one line where that is negative; no line break at the end.
// Bytes of a string that are not UTF-8, which JSON cannot hold, are written as \xff in letters.
[[nodiscard]] std::string json_text(Json value, int indent = -1);

}  // namespace kbench
