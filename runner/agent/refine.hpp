// KernelBench's loop without tools: each reply holds the whole kernel in a fence, is judged, and
// the next prompt says what became of it. Pure; called by driver.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbench {

// What stands in the last fence (```) of a reply that is closed, without the fence's own line;
// nothing where there is none.
[[nodiscard]] std::optional<std::string> last_fence(std::string_view reply);

// The next message: what the judge said, or that there was nothing to judge (empty).
[[nodiscard]] std::string refine_feedback(const std::string& judged);

}  // namespace kbench
