// Whether this program's defences can be switched off (defence.hpp): never in kbench itself.
// Defined beside stands(), once for each of the two kinds of programs.
#pragma once

namespace kbench {

[[nodiscard]] bool is_weakened();

}  // namespace kbench
