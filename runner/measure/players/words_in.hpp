// Words out of the reply of a process that is not trusted, which may have any shape and length.
#pragma once

#include <cstddef>
#include <string>

#include "runner/core/text_in.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {

// The text of that name, safe to show; empty where there is none.
[[nodiscard]] inline std::string words_in(const Json& reply, const char* name) {
  constexpr std::size_t kLongest = 2000;
  return clean_text(text_in(reply, name), kLongest);
}

}  // namespace kbench
