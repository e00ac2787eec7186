// As much of the syntax of Python and C++ as tells, line by line, whether a string or a comment
// goes on, and whether brackets are open: a fence within a docstring ends no block, and code with
// open brackets was cut off.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbench {

enum class Syntax { kPython, kCpp };

class CodeLexer {
 public:
  explicit CodeLexer(Syntax syntax) : syntax_(syntax) {}

  // The next line, without its end.
  void feed(std::string_view line);

  // A string or comment of several lines goes on.
  [[nodiscard]] bool inside_literal() const { return !end_.empty(); }
  // Brackets that are open; negative where more are closed than were opened.
  [[nodiscard]] int depth() const { return depth_; }

 private:
  // Each of these functions skips what begins at `at`, and returns the first position behind it.
  std::size_t skip_to_end(std::string_view line, std::size_t at);
  std::size_t take_python(std::string_view line, std::size_t at);
  std::size_t take_cpp(std::string_view line, std::size_t at);
  std::size_t open_literal(std::string_view line, std::size_t at, std::string end);
  void count_bracket(char c);

  Syntax syntax_;
  std::string end_;  // end of the literal that is open; empty: none is
  int depth_ = 0;
};

}  // namespace kbench
