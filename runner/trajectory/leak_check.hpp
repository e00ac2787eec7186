// Whether a context holds already what a report would tell: then feedback is worth nothing there,
// and the state is left out of studies. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kbench {

// A shorter line is in many texts by accident.
inline constexpr std::size_t kShortestLeak = 20;

// Lines of the reports, blanks at both ends aside, that stand in the context and neither in the
// kernel nor in the task; each is counted once. A line that the context holds as JSON writes it
// (\" for ") is found as well.
[[nodiscard]] std::size_t count_leaks(std::span<const std::string> reports,
                                      std::string_view context, std::string_view kernel,
                                      std::string_view task);

}  // namespace kbench
