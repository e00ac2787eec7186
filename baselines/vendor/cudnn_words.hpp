// The text of cudnnGetLastErrorString is a stack of checks for each engine that was tried: some
// hundred lines, of which one says in words what is in the way. Pure.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// The status and the words of the line that tells most: a missing library first, then a limit of an
// engine in words, then one without, then any check that failed. Engines for other devices tell
// nothing. Empty where no line says anything.
[[nodiscard]] std::string telling_line(std::string_view text);

}  // namespace kbench
