// The next step after a compiler's words: they have no hint of their own.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// "correct line 3 of relu.cpp and run it again: …", with the first place that g++ or nvcc names in
// `message`; "the submission" where neither names one. Of a header that is missing: where it goes.
[[nodiscard]] std::string step_after_compile_error(std::string_view message);

// The hint with the row's own names in `kbench debug FILE --task TASK`, as far as they are words
// that a shell takes as they stand: `file` is anybody's.
[[nodiscard]] std::string with_names(std::string hint, const std::string& file,
                                     const std::string& task);

}  // namespace kbench
