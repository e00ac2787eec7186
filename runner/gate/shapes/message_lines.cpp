#include "runner/gate/shapes/message_lines.hpp"

#include <utility>

namespace kbench {

void MessageLines::add(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool ends = end != std::string_view::npos;
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(ends ? end + 1 : bytes.size());
    const bool was_dropping = std::exchange(dropping_, dropping_ && !ends);
    if (was_dropping) continue;
    begun_.append(part.substr(0, most_bytes_ + 1 - begun_.size()));
    const bool too_long = begun_.size() > most_bytes_;
    if (!ends && !too_long) continue;
    take(std::exchange(begun_, {}));
    dropping_ = too_long && !ends;
  }
}

}  // namespace kbench
