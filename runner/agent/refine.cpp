#include "runner/agent/refine.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kbench {

std::optional<std::string> last_fence(std::string_view reply) {
  std::optional<std::string> found;
  std::optional<std::string> open;
  while (!reply.empty()) {
    const std::size_t end = std::min(reply.find('\n'), reply.size());
    const std::string_view line = reply.substr(0, end);
    reply.remove_prefix(std::min(end + 1, reply.size()));
    if (line.starts_with("```")) {
      if (open) {
        found = std::move(open);
        open.reset();
      } else {
        open.emplace();
      }
    } else if (open) {
      open->append(line).append("\n");
    }
  }
  return found;
}

std::string refine_feedback(const std::string& judged) {
  if (judged.empty())
    return "Your reply has no fence (```) that is closed, so there was nothing to judge. Answer "
           "with "
           "the whole kernel in one fence.";
  return "Your kernel was judged:\n\n" + judged +
         "\n\nMake it right where it is wrong, and faster where it is right. Answer with the whole "
         "kernel in one fence again.";
}

}  // namespace kbench
