// Text that C hands over: copied into memory of the caller's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace kbench {

// Writes a text, cut off where it does not fit; always ends in a zero.
inline void write_words(const std::string& text, char* words, std::size_t size) {
  if (size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(words, text.data(), length);
  words[length] = '\0';
}

}  // namespace kbench
