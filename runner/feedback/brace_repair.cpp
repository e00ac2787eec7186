#include "runner/feedback/brace_repair.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace kbench {
namespace {

constexpr int kMostRepairs = 4;
constexpr std::size_t kFarthest = 400;  // tokens of a bracket

struct Block {
  int line = 0;
  int indent = 0;
  bool flat = false;  // its contents are not indented: a namespace
};

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

// The first token of the statement that has a block at `open`.
std::size_t statement_of(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t head = open;
  if (open > 0 && tokens[open - 1].is(")")) head = opening_of(tokens, open - 1);
  for (std::size_t steps = 0; head > 0 && !tokens[head].first && steps < kFarthest; ++steps) --head;
  if (is_one_of(tokens[head], {"for", "while", "if", "else", "switch", "do", "}"})) return head;
  for (std::size_t at = head; at > 0 && head - at < kFarthest; --at)
    if (is_one_of(tokens[at - 1], {";", "}", "{", ":"})) return at;
  return head;
}

// The indentation that a block's closing brace has: that of its statement.
Block block_at(const std::vector<Token>& tokens, std::size_t open) {
  bool flat = open > 0 && tokens[open - 1].kind == Token::Kind::kString;
  for (std::size_t back = 1; back <= 3 && back <= open; ++back)
    flat = flat || tokens[open - back].is("namespace");
  const int indent = std::min(tokens[open].indent, tokens[statement_of(tokens, open)].indent);
  return {tokens[open].line, indent, flat};
}

Token brace(const char* text, const Token& like) {
  return {Token::Kind::kSign, text, like.line, like.indent, false};
}

// Whether a statement begins there.
bool begins_statement(const std::vector<Token>& tokens, std::size_t at) {
  if (at == 0) return true;
  const bool label = at + 1 < tokens.size() && tokens[at + 1].is(":");
  const bool exempt = is_one_of(
      tokens[at], {"case", "default", "public", "private", "protected", "{", ")", ":", "["});
  return !label && !exempt && is_one_of(tokens[at - 1], {";", "}", "{"});
}

// The place before which a closing brace is missing.
std::optional<std::size_t> missing_close(const std::vector<Token>& tokens) {
  std::vector<Block> open;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.first && !open.empty() && open.back().line < token.line) {
      const Block& top = open.back();
      const bool outside = token.is("}")      ? top.indent > token.indent
                           : token.is("else") ? token.indent == top.indent + 1
                                              : false;  // "} else" lost its brace
      const bool next =
          !token.is("}") && !top.flat && token.indent <= top.indent && begins_statement(tokens, at);
      if (outside || next) return at;
    }
    if (token.is("{")) open.push_back(block_at(tokens, at));
    if (token.is("}") && !open.empty()) open.pop_back();
  }
  return open.empty() ? std::nullopt : std::optional(tokens.size());
}

// The place behind a statement's head: where its brace should be.
std::size_t behind_head(const std::vector<Token>& tokens, std::size_t at) {
  if (tokens[at].is("}")) ++at;
  if (at < tokens.size() && is_one_of(tokens[at], {"else", "do", "try"}) &&
      (at + 1 >= tokens.size() || !tokens[at + 1].is("if")))
    return at + 1;
  int depth = 0;
  const int line = at < tokens.size() ? tokens[at].line : 0;
  for (std::size_t end = at; end < tokens.size() && end < at + kFarthest; ++end) {
    depth += tokens[end].is("(") ? 1 : tokens[end].is(")") ? -1 : 0;
    if (depth == 0 && tokens[end].is(")")) return end + 1;
    if (depth == 0 && tokens[end].line > line) return end;
  }
  return std::min(at + 1, tokens.size());
}

// The head of the statement whose block the brace at `close` ends.
std::optional<std::size_t> head_before(const std::vector<Token>& tokens, std::size_t close) {
  const Token& brace = tokens[close];
  if (!brace.first) {
    for (std::size_t at = close; at-- > 0 && tokens[at].line == brace.line;)
      if (is_one_of(tokens[at], {"for", "while", "if", "else", "do", "switch"})) return at;
    return std::nullopt;
  }
  for (std::size_t at = close; at-- > 0;)
    if (tokens[at].first && tokens[at].indent <= brace.indent)
      return tokens[at].indent == brace.indent ? std::optional(at) : std::nullopt;
  return std::nullopt;
}

// Whether nothing but closing brackets stands before it in its line.
bool leads_line(const std::vector<Token>& tokens, std::size_t at) {
  for (std::size_t steps = 0; !tokens[at].first; --at, ++steps)
    if (at == 0 || steps == kFarthest || !is_one_of(tokens[at - 1], {"}", ")"})) return false;
  return true;
}

struct Extra {
  std::size_t close = 0;            // the brace that ends nothing
  std::optional<std::size_t> head;  // head of the statement that it should end
};

std::optional<Extra> missing_open(const std::vector<Token>& tokens) {
  std::vector<Block> open;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.is("{")) open.push_back(block_at(tokens, at));
    if (!token.is("}")) continue;
    const bool inner = open.empty() || (leads_line(tokens, at) ? open.back().indent < token.indent
                                                               : open.back().line < token.line);
    if (inner) return Extra{at, head_before(tokens, at)};
    open.pop_back();
  }
  return std::nullopt;
}

void put_close(std::vector<Token>& tokens, std::size_t at, std::vector<Omission>& left_out) {
  const Token& before = tokens[at == 0 ? 0 : at - 1];
  const bool gap = at < tokens.size() && tokens[at].line > before.line + 1;
  const bool same = at < tokens.size() && is_one_of(tokens[at], {"else", "while"});
  const int line = same                         ? tokens[at].line
                   : gap || at == tokens.size() ? before.line + 1
                                                : before.line;
  left_out.push_back({line, '}'});
  tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), brace("}", before));
}

void put_open(std::vector<Token>& tokens, const Extra& extra, std::vector<Omission>& left_out) {
  if (!extra.head) {
    left_out.push_back({tokens[extra.close].line, '{'});
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(extra.close));
    return;
  }
  const std::size_t at = std::min(behind_head(tokens, *extra.head), extra.close);
  const Token before = tokens[at == 0 ? 0 : at - 1];
  left_out.push_back({before.line, '{'});
  tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), brace("{", before));
}

}  // namespace

std::size_t opening_of(const std::vector<Token>& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0 && close - at < kFarthest;) {
    depth += tokens[at].is(")") ? 1 : tokens[at].is("(") ? -1 : 0;
    if (depth == 0) return at;
  }
  return close;
}

void repair_braces(std::vector<Token>& tokens, std::vector<Omission>& left_out) {
  for (int repairs = 0; repairs < kMostRepairs; ++repairs) {
    const auto count = [&](std::string_view sign) {
      return std::count_if(tokens.begin(), tokens.end(),
                           [&](const Token& token) { return token.is(sign); });
    };
    const auto opened = count("{");
    const auto closed = count("}");
    if (opened == closed) return;
    if (opened > closed) {
      const auto at = missing_close(tokens);
      if (!at) return;
      put_close(tokens, *at, left_out);
    } else {
      const auto extra = missing_open(tokens);
      if (!extra) return;
      put_open(tokens, *extra, left_out);
    }
  }
}

}  // namespace kbench
