#include "runner/task/plain_text.hpp"

#include <algorithm>
#include <cstddef>

namespace kbench {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_identifier(std::string_view text) {
  return is_word(text) && !(text.front() >= '0' && text.front() <= '9');
}

bool is_one_line(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return false;
    // C1 is U+0080 to U+009F.
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return false;
  }
  return true;
}

}  // namespace kbench
