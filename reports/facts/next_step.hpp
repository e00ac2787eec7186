// The next step after a compiler's words: they have no hint of their own.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// "correct line 3 of relu.cpp and run it again: …", with the first place that g++ or nvcc names in
// `message`; "the submission" where neither names one. Of a header that is missing: where it goes.
[[nodiscard]] std::string step_after_compile_error(std::string_view message);

// The path of a submission as the run's command had it: "my_kernels/ann/level1/019_relu.cu" behind
// `--submissions my_kernels`, "tries/v1.cu" where that was typed. `submission` itself where the
// command does not say it, or by a path that leaves its folder.
[[nodiscard]] std::string path_as_typed(std::string_view command_line,
                                        const std::string& submission);

// The hint with the row's own names in `kbench debug FILE --task TASK`, as far as they are words
// that a shell takes as they stand: `file` is anybody's.
[[nodiscard]] std::string with_names(std::string hint, const std::string& file,
                                     const std::string& task);

}  // namespace kbench
