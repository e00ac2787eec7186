#include "runner/answer/code_lexer.hpp"

#include <algorithm>
#include <utility>

#include "runner/answer/words.hpp"

namespace kbench {
namespace {

// The position behind the quote that closes a string of one line.
std::size_t behind_quoted(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

void CodeLexer::feed(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size()) {
    if (inside_literal())
      at = skip_to_end(line, at);
    else
      at = syntax_ == Syntax::kPython ? take_python(line, at) : take_cpp(line, at);
  }
}

std::size_t CodeLexer::skip_to_end(std::string_view line, std::size_t at) {
  const bool escapes = syntax_ == Syntax::kPython;
  for (std::size_t i = at; i < line.size(); ++i) {
    if (escapes && line[i] == '\\') {
      ++i;
    } else if (line.substr(i).starts_with(end_)) {
      i += end_.size();
      end_.clear();
      return i;
    }
  }
  return line.size();
}

std::size_t CodeLexer::open_literal(std::string_view line, std::size_t at, std::string end) {
  end_ = std::move(end);
  return std::min(at, line.size());
}

std::size_t CodeLexer::take_python(std::string_view line, std::size_t at) {
  const char c = line[at];
  if (c == '#') return line.size();
  if (c == '"' || c == '\'') {
    const std::string thrice(3, c);
    if (line.substr(at).starts_with(thrice)) return open_literal(line, at + 3, thrice);
    return behind_quoted(line, at);
  }
  count_bracket(c);
  return at + 1;
}

// Whether the quote there is one within a number, 1'000, and not that of a literal: L'{', u8'('.
bool separates_digits(std::string_view line, std::size_t quote) {
  std::size_t begin = quote;
  while (begin > 0 && (is_word_character(line[begin - 1]) || line[begin - 1] == '\'')) --begin;
  return begin < quote && line[begin] >= '0' && line[begin] <= '9';
}

std::size_t CodeLexer::take_cpp(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest.starts_with("//")) return line.size();
  if (rest.starts_with("/*")) return open_literal(line, at + 2, "*/");
  if (rest.starts_with("R\"")) {
    const std::size_t opened = std::min(rest.find('('), rest.size());
    if (opened == rest.size()) return line.size();
    std::string end(1, ')');
    end.append(rest.substr(2, opened - 2)).append("\"");
    return open_literal(line, at + opened + 1, std::move(end));
  }
  const char c = line[at];
  if (c == '"' || (c == '\'' && !separates_digits(line, at))) return behind_quoted(line, at);
  count_bracket(c);
  return at + 1;
}

void CodeLexer::count_bracket(char c) {
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if (c == ')' || c == ']' || c == '}') --depth_;
}

}  // namespace kbench
