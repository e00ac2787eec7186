// KernelBench's loop without tools: each reply holds the whole kernel, is judged, and the next
// prompt says what became of it. The kernel is found as the server finds it in a trainer's answer
// (runner/answer). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

// Files of a reply by path in the workspace; empty where the reply holds no code, or more files
// than a turn has calls. `kernel_path` is that of a kernel that its reply does not name, and says
// for which device it is. With the manifest that names what this reply holds: files of earlier
// replies may lie there.
[[nodiscard]] std::map<std::string, std::string> refined_files(std::string_view reply,
                                                               const std::string& kernel_path);

// The words around what is said of a judged kernel.
struct RefineWords {
  std::string before;
  std::string after;
};
[[nodiscard]] RefineWords refine_words();

// The next message: what the judge said, or that there was nothing to judge (empty).
[[nodiscard]] std::string refine_feedback(const std::string& judged);

}  // namespace kbench
