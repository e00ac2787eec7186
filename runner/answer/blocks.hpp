// The blocks of code in what a model says, by Markdown's fences as models write them:
//
//   - Fences stand anywhere in a list or a quote, however far they are indented, and behind words
//     on their line where a language follows. ```Two``` on one line are no fence.
//   - A fence within a docstring or a comment of the code ends nothing.
//   - A block without an end ends with the next opening fence of a known language, or with the
//     text.
//   - Where the first fence closes what the prompt had opened, all before it is a block.
//
// Texts lose the marks of quotes and the indentation that all their lines share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/answer/code_kind.hpp"

namespace kbench {

struct CodeBlock {
  FenceWords fence;
  std::string text;
  std::string heading;  // the last line before it that is not empty
};

struct ReadAnswer {
  std::vector<CodeBlock> blocks;
  std::string outside;  // all lines that stand in no block
};

[[nodiscard]] ReadAnswer read_blocks(std::string_view said);

}  // namespace kbench
