// Arguments or environment variables as execve(2) and its relatives want them.
#pragma once

#include <string>
#include <vector>

namespace kbench {

// A pointer for each text and a null pointer at the end; valid while the texts stay unchanged.
// Those functions write through none of them: they only lack the const, for C's sake.
[[nodiscard]] inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace kbench
