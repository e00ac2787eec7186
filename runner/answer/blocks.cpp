#include "runner/answer/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "runner/answer/code_lexer.hpp"
#include "runner/answer/spoken_text.hpp"
#include "runner/answer/words.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

using std::string_view;

struct Fence {
  std::size_t quotes = 0;  // ">" before it
  string_view before;      // words before it on its line
  char mark = '`';
  std::size_t length = 0;
  string_view words;  // words behind the fence
};

string_view without_quotes(string_view line, std::size_t most, std::size_t& quotes) {
  quotes = 0;
  while (quotes < most) {
    const std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
    if (at == line.size() || line[at] != '>') break;
    line.remove_prefix(at + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    ++quotes;
  }
  return line;
}

// "- ", "12. ", "3) " before an item of a list.
std::size_t list_mark(string_view text) {
  std::size_t at = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool number = at > 0 && at < 10 && at < text.size() && (text[at] == '.' || text[at] == ')');
  const bool bullet =
      at == 0 && !text.empty() && string_view("-*+").find(text[0]) != string_view::npos;
  if (!number && !bullet) return 0;
  ++at;
  return at < text.size() && (text[at] == ' ' || text[at] == '\t') ? at + 1 : 0;
}

// "}```": the last line of code and its fence.
std::optional<Fence> fence_behind_words(string_view text, Fence fence) {
  const std::size_t at = text.find("```");
  if (at == string_view::npos) return std::nullopt;
  const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
  if (text.find("```", end) != string_view::npos) return std::nullopt;
  fence.before = text.substr(0, at);
  fence.length = end - at;
  fence.words = without_end_tokens(text.substr(end));
  return fence;
}

std::optional<Fence> fence_in(string_view line) {
  constexpr std::size_t kMostQuotes = 8;
  Fence fence;
  string_view text = trimmed(without_quotes(line, kMostQuotes, fence.quotes));
  while (const std::size_t mark = list_mark(text)) text = trimmed(text.substr(mark));
  if (text.empty()) return std::nullopt;
  fence.mark = text.front();
  fence.length = std::min(text.find_first_not_of(fence.mark), text.size());
  const bool is_mark = fence.mark == '`' || fence.mark == '~';
  if (!is_mark || fence.length < 3) {
    fence.mark = '`';
    return fence_behind_words(text, fence);
  }
  fence.words = without_end_tokens(text.substr(fence.length));
  // ```inline``` is no fence.
  if (fence.words.find("```") != string_view::npos) return std::nullopt;
  if (fence.mark == '`' && fence.words.ends_with('`')) return std::nullopt;
  return fence;
}

bool names_something(const FenceWords& words) {
  return words.language != Language::kUnknown || !words.file.empty();
}

// Takes off the indentation that all lines have in common; empty lines do not count.
std::string dedented(const std::vector<string_view>& lines) {
  std::optional<string_view> shared;
  for (const string_view line : lines) {
    if (trimmed(line).empty()) continue;
    const string_view indent = line.substr(0, line.find_first_not_of(" \t"));
    if (!shared) shared = indent;
    const auto differ = std::mismatch(shared->begin(), shared->end(), indent.begin(), indent.end());
    shared = shared->substr(0, static_cast<std::size_t>(differ.first - shared->begin()));
  }
  const std::size_t width = shared ? shared->size() : 0;
  std::string text;
  for (const string_view line : lines)
    text.append(trimmed(line).empty() && line.size() < width ? string_view() : line.substr(width))
        .append("\n");
  return text;
}

// Tells of the block that is open whether a string or a comment goes on.
class OpenBlock {
 public:
  OpenBlock(const Fence& fence, FenceWords words, std::string_view heading)
      : fence_(fence), words_(std::move(words)), heading_(heading) {
    if (!words_.code.empty()) add(words_.code);
  }

  void add(string_view line) {
    std::size_t quotes = 0;
    line = without_quotes(line, fence_.quotes, quotes);
    lines_.push_back(line);
    python_.feed(line);
    cpp_.feed(line);
    looks_like_python_ = looks_like_python_ || line.starts_with("import ") ||
                         line.starts_with("from ") || line.starts_with("class ");
  }

  [[nodiscard]] bool inside_literal() const {
    const bool is_python = words_.language == Language::kPython ||
                           (words_.language == Language::kUnknown && looks_like_python_);
    return is_python ? python_.inside_literal() : cpp_.inside_literal();
  }
  [[nodiscard]] bool is_closed_by(const Fence& fence) const {
    return fence.mark == fence_.mark && fence.length >= fence_.length && fence.words.empty();
  }
  [[nodiscard]] bool is_given_up_for(const Fence& fence) const {
    return fence.mark == fence_.mark && fence.length >= fence_.length && fence.before.empty() &&
           !fence.words.empty() && names_something(read_fence_words(fence.words));
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }

  // The block of the first `count` lines.
  [[nodiscard]] CodeBlock block(std::size_t count) const {
    return {words_, dedented({lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(count)}),
            heading_};
  }

 private:
  Fence fence_;
  FenceWords words_;
  std::string heading_;
  std::vector<string_view> lines_;
  CodeLexer python_{Syntax::kPython};
  CodeLexer cpp_{Syntax::kCpp};
  bool looks_like_python_ = false;
};

class Reader {
 public:
  explicit Reader(string_view said) : lines_(lines_of(said)) {}

  ReadAnswer read() {
    for (at_ = 0; at_ < lines_.size() || open_; ++at_) {
      if (at_ >= lines_.size())
        end_without_fence();
      else if (open_)
        take_code(lines_[at_]);
      else
        take_words(lines_[at_]);
    }
    return std::move(answer_);
  }

 private:
  // A fence that was taken for a part of a string, and the block's lines before it.
  struct Doubt {
    std::size_t line = 0;
    std::size_t size = 0;
  };

  void take_words(string_view line) {
    const auto fence = fence_in(line);
    FenceWords words = fence ? read_fence_words(fence->words) : FenceWords();
    const bool opens =
        fence && (fence->before.empty() || fence->words.empty() || names_something(words));
    // A block of Markdown is what stands in it.
    if (opens && words.language == Language::kMarkdown) return;
    if (!opens) return say(line);
    if (fence->words.empty() && closes_the_prompts(fence->before)) return;
    open_.emplace(*fence, std::move(words), heading_);
    doubt_.reset();
  }

  void say(string_view line) {
    answer_.outside.append(line).append("\n");
    if (!trimmed(line).empty()) heading_ = line;
  }

  // The prompt ends with an opening fence, and the answer begins with code.
  bool closes_the_prompts(string_view before) {
    if (!answer_.blocks.empty()) return false;
    const std::string text = answer_.outside + std::string(before);
    std::string code = code_without_fence(text);
    if (code.empty()) return false;
    answer_.blocks.push_back({{}, std::move(code), ""});
    answer_.outside.clear();
    return true;
  }

  void take_code(string_view line) {
    const auto fence = fence_in(line);
    if (!fence) return open_->add(line);
    if (open_->is_closed_by(*fence)) return close_at(line, *fence);
    if (open_->is_given_up_for(*fence) && !open_->inside_literal()) {
      finish(open_->size());
      --at_;  // the line opens the next one
      return;
    }
    open_->add(line);
  }

  void close_at(string_view line, const Fence& fence) {
    const bool is_comment = fence.before.find("//") != string_view::npos ||
                            fence.before.starts_with('#') || fence.before.starts_with('*');
    const bool in_code = open_->inside_literal() || (!fence.before.empty() && is_comment);
    if (in_code && doubts_ < kMostDoubts) {
      if (!doubt_) doubt_ = Doubt{at_, open_->size()};
      return open_->add(line);
    }
    if (!trimmed(fence.before).empty()) open_->add(line.substr(0, line.find("```")));
    finish(open_->size());
  }

  // The text ends: with a fence, if one was taken for a part of a string that never ended.
  void end_without_fence() {
    if (!doubt_) return finish(open_->size());
    ++doubts_;
    at_ = doubt_->line;
    finish(doubt_->size);
  }

  void finish(std::size_t count) {
    answer_.blocks.push_back(open_->block(count));
    open_.reset();
    doubt_.reset();
    heading_ = {};
  }

  // Most doubtful fences. Each goes through the text once more.
  static constexpr int kMostDoubts = 16;

  std::vector<string_view> lines_;
  std::size_t at_ = 0;
  std::optional<OpenBlock> open_;
  std::optional<Doubt> doubt_;
  int doubts_ = 0;
  string_view heading_;
  ReadAnswer answer_;
};

}  // namespace

ReadAnswer read_blocks(std::string_view said) { return Reader(said).read(); }

}  // namespace kbench
