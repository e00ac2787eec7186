// A row whose key another run has answered first: it is kept, and counts nowhere.
#pragma once

#include <string>

#include "runner/core/evaluation.hpp"

namespace kbench {

// Labels the row, and says which run has answered.
void mark_again(Evaluation& row, const std::string& winner);
[[nodiscard]] bool is_again(const Evaluation& row);

// Whether a row answers its key. A fault of kbench or the machine does not: another run tries.
[[nodiscard]] bool answers_its_key(const Evaluation& row);

}  // namespace kbench
