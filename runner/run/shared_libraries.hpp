// Compiled submissions that the machines of a pool share: a run takes them, and `kbench build`
// gives them. A run gives none of its own, because a server compiles thousands that are never sent
// again.
#pragma once

#include <functional>
#include <string>

#include "runner/core/result.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

// Has the compiler look into the exchange before it compiles.
void share_libraries(const Exchange& exchange, Compiler& compiler);

// Also has it put there every library that is not there yet. `failed` is told why that was not
// possible, by any thread.
void share_libraries(const Exchange& exchange, Compiler& compiler,
                     std::function<void(const Error& why)> failed);

}  // namespace kbench
