// The submission in a model's answer, by one rule:
//
//   - Blocks fenced by ``` or ~~~ that name a file behind their language, as "```cuda relu.cu" or
//     "```cpp:tiles/tile.hpp", are its files; of two with one name the last one counts.
//   - Where no block names one, the last block is its only file.
//   - A block that does not end is none: the answer was cut off there.
//
// Called for the rewards of trainers, which get answers and not files.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

// By path; empty where there is no block. A file without a name is called kernel.cu, kernel.cpp or
// kernel.py by its language; without a language too, .py where it defines ModelNew, else as the
// device ("cpu", "cuda") has it.
[[nodiscard]] std::map<std::string, std::string> files_in_answer(std::string_view answer,
                                                                 std::string_view device);

// Of clients that send code: what is fenced in it, where something is, else all of it.
[[nodiscard]] std::map<std::string, std::string> files_of_code(std::string_view code,
                                                               std::string_view device);

}  // namespace kbench
