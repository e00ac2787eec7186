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

bool begins_number(std::string_view line, std::size_t at) {
  return line[at] >= '0' && line[at] <= '9' && (at == 0 || !is_word_character(line[at - 1]));
}

// The position behind the number that begins there: quotes separate its digits, 1'000.
std::size_t behind_number(std::string_view line, std::size_t at) {
  const auto goes_on = [&](std::size_t i) { return i < line.size() && is_word_character(line[i]); };
  while (goes_on(at) || (at < line.size() && line[at] == '.') ||
         (at < line.size() && line[at] == '\'' && goes_on(at + 1)))
    ++at;
  return at;
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
  if (begins_number(line, at)) return behind_number(line, at);
  if (c == '"' || c == '\'') return behind_quoted(line, at);
  count_bracket(c);
  return at + 1;
}

void CodeLexer::count_bracket(char c) {
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if (c == ')' || c == ']' || c == '}') --depth_;
}

}  // namespace kbench
