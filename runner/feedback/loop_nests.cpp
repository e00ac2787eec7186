#include "runner/feedback/loop_nests.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kbench {
namespace {

constexpr std::size_t kMostLoops = 500;
constexpr int kDeepest = 200;  // statements within statements
constexpr std::size_t kLongestHead = 120;
constexpr std::size_t kLongestSubscript = 80;
constexpr std::size_t kLongestStatement = 400;  // tokens up to its block
constexpr std::size_t kMostNamed = 8;           // subscripts and calls of a loop

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Keywords with which a statement begins, wherever it stands.
bool opens_statement(const Token& token) {
  return token.is_name() && is_one_of(token.text, {"for", "while", "do", "if", "switch", "return",
                                                   "break", "continue", "else", "case", "goto"});
}

bool is_keyword_before_bracket(std::string_view text) {
  return is_one_of(
      text, {"for", "while", "if", "switch", "return", "sizeof", "catch", "alignas", "decltype",
             "__launch_bounds__", "__attribute__", "__align__", "defined", "noexcept", "requires",
             "static_assert", "asm", "alignof", "__cluster_dims__"});
}

// Whether a statement may end behind that token.
bool may_end(const Token& token) {
  if (is_one_of(token.text,
                {"return", "else", "do", "const", "static", "case", "typedef", "using"}))
    return false;
  return token.kind != Token::Kind::kSign || is_one_of(token.text, {")", "]", "++", "--"});
}

class Reader {
 public:
  explicit Reader(std::string_view source) : tokens_(tokens_of(source)) {
    repair_braces(tokens_, reading_.left_out);
  }

  LoopReading read() {
    while (at_ < tokens_.size()) {
      statement(Place{});
      if (at_ < tokens_.size() && here().is("}")) ++at_;  // ends nothing
    }
    std::sort(reading_.left_out.begin(), reading_.left_out.end(),
              [](const Omission& a, const Omission& b) { return a.line < b.line; });
    return std::move(reading_);
  }

 private:
  struct Place {
    int loop = -1;
    std::string function;
    bool in_code = false;  // the place is in a function's body
    int depth = 0;
  };
  // A statement that is being read, up to its semicolon.
  struct Statement {
    std::size_t begin = 0;
    int parens = 0;
    bool assigns = false;  // it has "=" or "return" outside of brackets
  };

  [[nodiscard]] const Token& here() const { return tokens_[at_]; }
  [[nodiscard]] bool is_at(std::string_view text) const {
    return at_ < tokens_.size() && here().is(text);
  }
  void miss(int line, char sign) {
    const Omission one{line, sign};
    auto& all = reading_.left_out;
    if (all.size() < 20 && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }

  void statement(const Place& place) {
    if (at_ >= tokens_.size()) return;
    if (place.depth > kDeepest) {
      ++at_;
      return;
    }
    Place inner = place;
    ++inner.depth;
    const Token& token = here();
    if (token.is(";")) {
      ++at_;
    } else if (token.is("{")) {
      block(inner);
    } else if (token.is("for") || token.is("while") || token.is("do")) {
      loop(inner);
    } else if (token.is("if") || token.is("switch") || token.is("catch")) {
      branch(inner);
    } else if (token.is("else") || token.is("try")) {
      ++at_;
      statement(inner);
    } else if (!token.is("}")) {
      expression(inner);
    }
  }

  void block(const Place& place) {
    ++at_;
    while (at_ < tokens_.size() && !here().is("}")) statement(place);
    if (at_ < tokens_.size()) ++at_;
  }

  void branch(const Place& place) {
    const std::size_t keyword = at_++;
    if (is_at("constexpr") || is_at("consteval")) ++at_;
    bracket(keyword, 0, place);
    statement(place);
    if (is_at("else")) {
      ++at_;
      statement(place);
    }
  }

  void loop(const Place& place) {
    if (reading_.loops.size() >= kMostLoops) {
      ++at_;
      return;
    }
    const std::size_t keyword = at_++;
    const int number = static_cast<int>(reading_.loops.size());
    Loop loop;
    loop.line = tokens_[keyword].line;
    loop.kind = tokens_[keyword].text;
    loop.parent = place.loop;
    loop.function = place.function;
    if (place.loop >= 0)
      loop.depth = reading_.loops[static_cast<std::size_t>(place.loop)].depth + 1;
    reading_.loops.push_back(std::move(loop));
    Place within = place;
    within.loop = number;
    const bool is_do = tokens_[keyword].is("do");
    if (!is_do) set_head(number, bracket(keyword, tokens_[keyword].is("for") ? 2 : 0, within));
    statement(within);
    if (is_do && is_at("while")) {
      const std::size_t end = at_++;
      set_head(number, bracket(end, 0, within));
      if (is_at(";"))
        ++at_;
      else
        miss(tokens_[at_ - 1].line, ';');
    }
    reading_.loops[static_cast<std::size_t>(number)].last_line = tokens_[at_ - 1].line;
  }

  void set_head(int number, std::string head) {
    reading_.loops[static_cast<std::size_t>(number)].head = std::move(head);
  }

  // The bracket behind a keyword, with as many semicolons in it: its text. It ends before a brace
  // that opens a block, or at the end of a line, where its last parenthesis is missing.
  std::string bracket(std::size_t keyword, int semicolons, const Place& place) {
    const int line = tokens_[keyword].line;
    if (is_at("("))
      ++at_;
    else
      miss(line, '(');
    const std::size_t begin = at_;
    int depth = 1;
    int seen = 0;
    bool range = false;
    for (; at_ < tokens_.size(); ++at_) {
      const Token& token = here();
      note(place);
      if (token.is("(")) ++depth;
      if (token.is(":") && seen == 0) range = true;
      if (token.is(")") && --depth == 0) {
        if (!closes_early(seen, semicolons, range)) break;
        miss(line, '(');
        depth = 1;
      }
      if (token.is(";") && ++seen > semicolons) {
        to_line_end(begin);
        return unclosed(begin, line);
      }
      if (token.is("{") && opens_block(seen >= semicolons || range)) return unclosed(begin, line);
      if (token.is("{")) {
        skip_list(place);
        --at_;  // back to its last brace
        continue;
      }
      if (token.is("}")) return unclosed(begin, line);
    }
    const std::string text = text_of(begin, std::min(at_, tokens_.size()));
    if (at_ < tokens_.size()) ++at_;
    if (semicolons > seen && !range) miss(line, ';');
    return text;
  }

  // "for (int i = 0; i < n); ++i)": a parenthesis before all parts are there.
  [[nodiscard]] bool closes_early(int seen, int semicolons, bool range) const {
    return seen > 0 && seen < semicolons && !range && at_ + 1 < tokens_.size() &&
           tokens_[at_ + 1].is(";");
  }

  // Whether the brace is no initialiser's: nothing follows it in its line.
  [[nodiscard]] bool opens_block(bool complete) const {
    const bool ends_line = at_ + 1 >= tokens_.size() || tokens_[at_ + 1].line > here().line;
    const bool value = is_one_of(tokens_[at_ - 1].text, {"=", ",", "(", ":", "]"});
    return !value && (ends_line || complete);
  }

  std::string unclosed(std::size_t begin, int line) {
    miss(line, ')');
    return text_of(begin, std::max(begin, at_));
  }

  // Goes back to the end of the line on which the bracket's last part begins.
  void to_line_end(std::size_t begin) {
    std::size_t end = begin;
    for (std::size_t i = begin; i < at_; ++i)
      if (tokens_[i].is(";")) end = i;
    const int line = tokens_[end].line;
    std::size_t next = end;
    while (next < at_ && tokens_[next].line == line) ++next;
    at_ = next;
  }

  // Reads an expression up to its semicolon, or to the end of the last block of a function, class
  // or namespace.
  void expression(const Place& place) {
    Statement now;
    now.begin = at_;
    const std::size_t head = here().is("template") ? behind_angles(at_ + 1) : at_;
    while (at_ < tokens_.size()) {
      const Token& token = here();
      if (at_ > now.begin && ends_without(now, place)) return;
      note(place);
      if (token.is("(")) ++now.parens;
      if (token.is(")") && --now.parens < 0) {
        miss(token.line, '(');
        now.parens = 0;
      }
      if (now.parens == 0 && at_ >= head && (token.is("=") || token.is("return")))
        now.assigns = true;
      if (token.is(";")) {
        if (now.parens > 0) miss(tokens_[at_ - 1].line, ')');
        ++at_;
        return;
      }
      if (token.is("{")) {
        if (braces(now, place)) return;
        continue;
      }
      ++at_;
    }
  }

  // Whether the statement is over before this token although it has no semicolon.
  bool ends_without(const Statement& now, const Place& place) {
    const Token& token = here();
    const Token& before = tokens_[at_ - 1];
    const char sign = now.parens > 0 ? ')' : ';';
    if (token.is("}")) {
      if (place.in_code) miss(before.line, sign);
      return true;
    }
    if (opens_statement(token) && place.in_code && (token.first || now.parens == 0)) {
      if (is_one_of(token.text, {"return", "case"}) && !token.first) return false;
      if (token.first) name_missing(now, sign);
      return true;
    }
    if (!token.first || now.parens > 0 || token.kind == Token::Kind::kString) return false;
    const bool goes_on =
        token.kind == Token::Kind::kSign && !token.is("++") && !token.is("--") && !token.is("*");
    const Token& begin = tokens_[now.begin];
    if (token.indent > begin.indent || goes_on || !may_end(before)) return false;
    const bool known = place.in_code || now.assigns || begin.is("using") || begin.is("typedef");
    if (!known || begin.is("[")) return false;
    miss(before.line, ';');
    return true;
  }

  // The sign that is missing before a keyword; none is behind a label, an attribute, a macro alone.
  void name_missing(const Statement& now, char sign) {
    const Token& begin = tokens_[now.begin];
    const Token& before = tokens_[at_ - 1];
    const bool alone = at_ == now.begin + 1 && !begin.is("break") && !begin.is("continue");
    if (!alone && !before.is(":") && !begin.is("[") && !begin.is("_Pragma"))
      miss(before.line, sign);
  }

  // Whether the brace is of a block although brackets are open: a lambda, or a head that lacks its
  // last parenthesis, which has the brace at its line's end.
  [[nodiscard]] bool is_body(const Statement& now) const {
    const Token& before = tokens_[at_ - 1];
    if (is_one_of(before.text, {")", "]", "mutable", "noexcept"})) return true;
    for (std::size_t back = at_; back > now.begin && at_ - back < 6; --back) {
      if (is_one_of(tokens_[back - 1].text, {",", "("})) break;
      if (tokens_[back - 1].is("->")) return true;
    }
    const bool ends_line = at_ + 1 >= tokens_.size() || tokens_[at_ + 1].line > here().line;
    return now.parens > 0 && ends_line && !now.assigns &&
           !is_one_of(before.text, {"=", ",", "(", ":"});
  }

  [[nodiscard]] bool is_list(const Statement& now, const Place& place) const {
    const Token& before = tokens_[at_ - 1];
    if (now.assigns || now.parens > 0) return !is_body(now);
    if (tokens_[now.begin].is("enum") || before.is("]")) return true;
    return place.in_code && before.is_name() && !is_type(now.begin) &&
           !is_one_of(before.text, {"const", "override", "noexcept", "mutable", "final"});
  }

  // A brace within a statement. True: the statement ends with its block.
  bool braces(Statement& now, const Place& place) {
    const Token before = tokens_[at_ - 1];
    if (is_list(now, place)) {
      skip_list(place);
      return at_ < tokens_.size() && ends_behind_list(now);
    }
    const bool value = now.assigns || now.parens > 0;
    const bool type = is_type(now.begin);
    const bool headless = !place.in_code && !now.assigns && now.parens > 0 &&
                          !is_one_of(before.text, {")", "]", "mutable"});
    Place inner = place;
    inner.in_code = place.in_code || has_bracket(now.begin);
    if (inner.in_code && !place.in_code) inner.function = name_in(now.begin);
    const int parens = std::exchange(now.parens, 0);
    block(inner);
    now.parens = parens;
    if (headless) miss(before.line, ')');
    if (headless) return true;
    if (value) return at_ < tokens_.size() && ends_behind_list(now);
    return !type || ends_type();
  }

  // Skips to behind a class's last brace; false: a variable's name follows.
  bool ends_type() {
    if (is_at(";")) {
      ++at_;
      return true;
    }
    if (at_ < tokens_.size() && !here().first) return false;
    miss(tokens_[at_ - 1].line, ';');
    return true;
  }

  // An initialiser's braces at a line's end, and the next line begins another statement.
  bool ends_behind_list(const Statement& now) {
    const Token& token = here();
    if (!token.first || now.parens > 0) return false;
    const Token& begin = tokens_[now.begin];
    if (token.kind == Token::Kind::kSign || token.indent > begin.indent) return false;
    miss(tokens_[at_ - 1].line, ';');
    return true;
  }

  void skip_list(const Place& place) {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      note(place);
      depth += here().is("{") ? 1 : here().is("}") ? -1 : 0;
      if (depth == 0) {
        ++at_;
        return;
      }
    }
  }

  [[nodiscard]] bool is_type(std::size_t begin) const {
    if (tokens_[begin].is("template")) begin = behind_angles(begin + 1);
    for (std::size_t at = begin; at < head_end(begin); ++at) {
      if (tokens_[at].is("(")) return false;
      if (is_one_of(tokens_[at].text, {"struct", "class", "union", "enum"})) return true;
    }
    return false;
  }

  // The position behind "<class T, int kTile>".
  [[nodiscard]] std::size_t behind_angles(std::size_t begin) const {
    int depth = 0;
    const std::size_t end = std::min(tokens_.size(), begin + kLongestStatement);
    for (std::size_t at = begin; at < end; ++at) {
      depth += tokens_[at].is("<") ? 1 : tokens_[at].is(">") ? -1 : 0;
      if (depth == 0) return at + 1;
    }
    return begin;
  }

  [[nodiscard]] bool has_bracket(std::size_t begin) const {
    for (std::size_t at = begin; at < head_end(begin); ++at)
      if (tokens_[at].is("(") || tokens_[at].is(")")) return true;
    return false;
  }

  // A head is short; a hostile statement may not be.
  [[nodiscard]] std::size_t head_end(std::size_t begin) const {
    return std::min({at_, tokens_.size(), begin + kLongestStatement});
  }

  [[nodiscard]] std::string name_in(std::size_t begin) const {
    for (std::size_t at = begin + 1; at < head_end(begin); ++at) {
      const Token& name = tokens_[at - 1];
      if (tokens_[at].is("(") && name.is_name() && !is_keyword_before_bracket(name.text))
        return std::string(name.text.substr(0, kLongestSubscript));
    }
    return "";
  }

  // Remembers subscripts and calls of the loop.
  void note(const Place& place) {
    if (place.loop < 0 || at_ == 0) return;
    Loop& loop = reading_.loops[static_cast<std::size_t>(place.loop)];
    const Token& name = tokens_[at_ - 1];
    if (!name.is_name()) return;
    if (here().is("(") && !is_keyword_before_bracket(name.text))
      add(loop.calls, std::string(name.text.substr(0, kLongestSubscript)));
    if (!here().is("[")) return;
    int depth = 0;
    for (std::size_t end = at_; end < tokens_.size() && end < at_ + 60; ++end) {
      depth += tokens_[end].is("[") ? 1 : tokens_[end].is("]") ? -1 : 0;
      if (tokens_[end].is(";")) return;
      if (depth == 0 && (end + 1 >= tokens_.size() || !tokens_[end + 1].is("[")))
        return add(loop.subscripts, text_of(at_ - 1, end + 1).substr(0, kLongestSubscript));
    }
  }

  static void add(std::vector<std::string>& all, std::string one) {
    if (all.size() < kMostNamed && std::find(all.begin(), all.end(), one) == all.end())
      all.push_back(std::move(one));
  }

  // The source's text, with one blank where it has any.
  [[nodiscard]] std::string text_of(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t at = begin; at < end && text.size() < kLongestHead; ++at) {
      const std::string_view token = tokens_[at].text;
      const bool apart =
          at > begin && token.data() > tokens_[at - 1].text.data() + tokens_[at - 1].text.size();
      if (apart) text += ' ';
      text += token.substr(0, kLongestHead);
    }
    return text.substr(0, kLongestHead);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  LoopReading reading_;
};

}  // namespace

LoopReading read_loops(std::string_view source) { return Reader(source).read(); }

}  // namespace kbench
