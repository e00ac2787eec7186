// A model's answer without its thoughts:
//
//   - Thoughts are what stands between <think> and </think>, and between the other pairs that
//     models have for it. Where the prompt opened them, all before the first </think> are thoughts.
//   - Thoughts that do not end were cut off: what follows them is nothing.
//   - Where nothing follows thoughts that end, they are all there is, and count.
//
// A tag within a block of code is code, unless it begins a line.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

[[nodiscard]] std::string spoken_text(std::string_view answer);

// The text without the marks behind it that end a turn or an answer: <|im_end|>, </s>, </answer>.
[[nodiscard]] std::string_view without_end_tokens(std::string_view text);

}  // namespace kbench
