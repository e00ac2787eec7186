#include "runner/feedback/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kbench {
namespace {

constexpr int kTab = 8;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

class Lexer {
 public:
  Lexer(std::string_view source, std::size_t most) : source_(source), most_(most) {}

  std::vector<Token> read() {
    while (at_ < source_.size() && tokens_.size() < most_) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = source_[at_];
    if (c == '\n') return new_line();
    if (is_blank(c)) {
      if (first_) indent_ += c == '\t' ? kTab - indent_ % kTab : 1;
      ++at_;
      return;
    }
    if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) return skip(1);
    if (c == '/' && peek(1) == '/') return skip_line();
    if (c == '/' && peek(1) == '*') return skip_past("*/");
    if (c == '#' && first_) return directive();
    if (c == '"' || c == '\'') return quoted(at_);
    if (begins_name(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    sign();
  }

  void new_line() {
    ++at_;
    ++line_;
    indent_ = 0;
    first_ = true;
  }

  // Counts the lines within.
  void skip(std::size_t count) {
    const std::size_t end = std::min(at_ + count, source_.size());
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void skip_past(std::string_view mark) {
    const std::size_t end = source_.find(mark, at_ + mark.size());
    skip(end == source_.npos ? source_.size() - at_ : end + mark.size() - at_);
  }

  void skip_line() { skip(std::min(source_.find('\n', at_), source_.size()) - at_); }

  // A directive's first line, with those that continue it.
  std::string_view directive_line() {
    const std::size_t begin = at_;
    skip_line();
    while (at_ < source_.size() &&
           (source_[at_ - 1] == '\\' || (source_[at_ - 1] == '\r' && source_[at_ - 2] == '\\'))) {
      skip(1);
      skip_line();
    }
    return source_.substr(begin, at_ - begin);
  }

  static std::string_view word_of(std::string_view line) {
    line.remove_prefix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    std::size_t end = 0;
    while (end < line.size() && begins_name(line[end])) ++end;
    return line.substr(0, end);
  }

  // Only the first branch of an #if is read.
  void directive() {
    const std::string_view word = word_of(directive_line());
    if (!word.starts_with("el")) return;
    for (int depth = 1; depth > 0 && at_ < source_.size();) {
      while (at_ < source_.size() && (source_[at_] == '\n' || is_blank(source_[at_]))) skip(1);
      if (at_ >= source_.size()) return;
      if (source_[at_] != '#') {
        skip_line();
        continue;
      }
      const std::string_view inner = word_of(directive_line());
      depth += inner.starts_with("if") ? 1 : inner == "endif" ? -1 : 0;
    }
  }

  void add(Token::Kind kind, std::size_t begin) {
    tokens_.push_back({kind, source_.substr(begin, at_ - begin), line_, indent_, first_});
    first_ = false;
  }

  // A string from `begin` on; one that is not ended ends with its line.
  void quoted(std::size_t begin) {
    const int line = line_;
    const char quote = source_[at_++];
    while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n')
      at_ += source_[at_] == '\\' && at_ + 1 < source_.size() ? 2u : 1u;
    at_ = std::min(at_ + (peek(0) == quote ? 1 : 0), source_.size());
    add(Token::Kind::kString, begin);
    line_ = line + static_cast<int>(
                       std::count(tokens_.back().text.begin(), tokens_.back().text.end(), '\n'));
  }

  void raw_string(std::size_t begin) {
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos || open - at_ > 17) return quoted(begin);
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t close = source_.find(end, open);
    const int line = line_;
    skip(close == source_.npos ? source_.size() - at_ : close + end.size() - at_);
    const int last = line_;
    line_ = line;
    add(Token::Kind::kString, begin);
    line_ = last;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < source_.size() && (begins_name(source_[at_]) || is_digit(source_[at_]))) ++at_;
    const std::string_view text = source_.substr(begin, at_ - begin);
    const bool prefix = text.size() <= 3 && (text.back() == 'R' || text == "L" || text == "u" ||
                                             text == "U" || text == "u8");
    if (prefix && peek(0) == '"') return text.back() == 'R' ? raw_string(begin) : quoted(begin);
    add(Token::Kind::kName, begin);
  }

  void number() {
    const std::size_t begin = at_;
    const auto goes_on = [&] {
      const char c = peek(0);
      const char before = source_[at_ - 1];
      const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      return begins_name(c) || is_digit(c) || c == '.' || (c == '\'' && begins_name(peek(1))) ||
             (c == '\'' && is_digit(peek(1))) || ((c == '+' || c == '-') && exponent);
    };
    ++at_;
    while (at_ < source_.size() && goes_on()) ++at_;
    add(Token::Kind::kNumber, begin);
  }

  void sign() {
    constexpr std::array<std::string_view, 4> kPairs = {"++", "--", "::", "->"};
    const std::size_t begin = at_;
    const std::string_view pair = source_.substr(at_, 2);
    at_ += std::find(kPairs.begin(), kPairs.end(), pair) != kPairs.end() ? 2u : 1u;
    add(Token::Kind::kSign, begin);
  }

  std::string_view source_;
  std::size_t most_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  int indent_ = 0;
  bool first_ = true;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, std::size_t most) {
  return Lexer(source, most).read();
}

}  // namespace kbench
