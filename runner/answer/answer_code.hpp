// The submission in a model's answer, by one rule for all who send answers:
//
//   - What was thought is no answer, unless nothing follows it (spoken_text.hpp). Blocks are found
//     as blocks.hpp says.
//   - The block that defines kbench_forward or ModelNew is the kernel; of several the last one that
//     is whole. Where none defines it, the last block of a kernel's language, then the last one
//     without a language. Shell, text, JSON, diffs, output and mathematics are never it, nor is
//     what holds no code.
//   - A block that names a file behind its language, as "```cuda relu.cu" or
//     "```cpp:tiles/tile.hpp", is that file. Where the kernel has a name, all that have one are its
//     files, and of two with one name the last one counts; where it has none, those that it
//     includes or imports, whose name may stand in the line before, too.
//   - Without any fence the code is what looks like it from its first line to its last.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

// Files by path; empty where there is no code. A file without a name is called kernel.cu,
// kernel.cpp or kernel.py. Python of several files comes with a submission.json that names the
// entry.
[[nodiscard]] std::map<std::string, std::string> files_in_answer(std::string_view answer,
                                                                 std::string_view device);

// Files of a client that sends code: those that an answer would hand in if the text is one, else
// all of the text.
[[nodiscard]] std::map<std::string, std::string> files_of_code(std::string_view code,
                                                               std::string_view device);

}  // namespace kbench
