#include "runner/answer/spoken_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "runner/answer/words.hpp"

namespace kbench {
namespace {

struct ThoughtTags {
  std::string_view open;
  std::string_view close;
};

// Tags in lower case.
constexpr std::array<ThoughtTags, 13> kThoughts{{{"<think>", "</think>"},
                                                 {"<thinking>", "</thinking>"},
                                                 {"<thought>", "</thought>"},
                                                 {"<thoughts>", "</thoughts>"},
                                                 {"<reasoning>", "</reasoning>"},
                                                 {"<analysis>", "</analysis>"},
                                                 {"<reflection>", "</reflection>"},
                                                 {"<scratchpad>", "</scratchpad>"},
                                                 {"<seed:think>", "</seed:think>"},
                                                 {"<|begin_of_thought|>", "<|end_of_thought|>"},
                                                 {"\u25c1think\u25b7", "\u25c1/think\u25b7"},
                                                 {"[think]", "[/think]"},
                                                 {"<|channel|>analysis<|message|>", "<|end|>"}}};

// Marks at which the model's own turn begins, for clients that send the prompt as well.
constexpr std::array<std::string_view, 6> kTurns{
    "<|im_start|>assistant",       "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",        "<|start|>assistant",
    "<|channel|>final<|message|>", "[/inst]"};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string lower(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return low;
}

// A header with nothing behind it begins a turn that was not taken any more.
std::string_view own_turn(std::string_view answer) {
  constexpr int kMostHeaders = 8;
  const std::string low = lower(answer);
  std::size_t end = answer.size();
  for (int i = 0; i < kMostHeaders; ++i) {
    std::size_t begin = 0;
    std::size_t header = 0;
    for (const std::string_view turn : kTurns) {
      const std::size_t at = std::string_view(low).substr(0, end).rfind(turn);
      if (at == std::string_view::npos || at + turn.size() <= begin) continue;
      header = at;
      begin = at + turn.size();
    }
    const std::string_view own = answer.substr(begin, end - begin);
    if (begin == 0 || !without_end_tokens(own).empty()) return own;
    end = header;
  }
  return answer;
}

// The fence that is open, as far as tags need to know.
class OpenFence {
 public:
  void see(std::string_view line) {
    const std::string_view text = trimmed(line);
    const char mark = text.empty() ? ' ' : text.front();
    if (mark != '`' && mark != '~') return;
    const std::size_t length = std::min(text.find_first_not_of(mark), text.size());
    if (length < 3) return;
    if (length_ == 0) {
      mark_ = mark;
      length_ = length;
    } else if (mark == mark_ && length >= length_ && length == text.size()) {
      length_ = 0;
    }
  }
  [[nodiscard]] bool open() const { return length_ > 0; }
  void forget() { length_ = 0; }

 private:
  char mark_ = '`';
  std::size_t length_ = 0;
};

class Listener {
 public:
  explicit Listener(std::string_view text) : low_(lower(text)), text_(text) {
    for (std::size_t i = 0; i < kThoughts.size(); ++i)
      last_close_[i] = low_.rfind(kThoughts[i].close);
  }

  std::string listen() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      first_word_ = text_.substr(0, end).find_first_not_of(" \t", at);
      while (at < end) at = open_ == nullptr ? take_said(at, end) : take_thought(at, end);
    }
    if (without_end_tokens(said_).empty() && !thought_.empty()) return thought_;
    return said_;
  }

 private:
  // Takes a thought until it ends, or its line does.
  std::size_t take_thought(std::size_t at, std::size_t end) {
    const std::size_t close = std::string_view(low_).substr(0, end).find(open_->close, at);
    pending_.append(text_.substr(at, std::min(close, end) - at));
    if (close == std::string_view::npos) return end;
    thought_ = std::move(pending_);
    pending_.clear();
    const std::size_t behind = close + open_->close.size();
    open_ = nullptr;
    return behind;
  }

  // Takes spoken words until a tag, or the end of the line.
  std::size_t take_said(std::size_t at, std::size_t end) {
    constexpr std::string_view kFirstBytes = "<[\xe2";
    for (std::size_t i = at; i < end; ++i) {
      i = std::min(text_.substr(0, end).find_first_of(kFirstBytes, i), end);
      for (std::size_t number = 0; i < end && number < kThoughts.size(); ++number) {
        const bool opens = is_here(kThoughts[number].open, i);
        if (!opens && !closes(number, i)) continue;
        if (!counts(i, opens, number)) continue;
        say(at, i);
        return opens ? open(number, i) : close(number, i);
      }
    }
    say(at, end);
    return end;
  }

  void say(std::size_t at, std::size_t end) {
    fence_.see(text_.substr(at, end - at));
    said_.append(text_.substr(at, end - at));
  }

  std::size_t open(std::size_t number, std::size_t at) {
    open_ = &kThoughts[number];
    return at + open_->open.size();
  }

  // The prompt had opened it: all that was said until here was thought.
  std::size_t close(std::size_t number, std::size_t at) {
    thought_ = std::move(said_);
    said_.clear();
    fence_.forget();
    return at + kThoughts[number].close.size();
  }

  [[nodiscard]] bool is_here(std::string_view tag, std::size_t at) const {
    return low_.compare(at, tag.size(), tag) == 0;
  }

  // "<|end|>" alone ends a turn, and no thought.
  [[nodiscard]] bool closes(std::size_t number, std::size_t at) const {
    return kThoughts[number].close != "<|end|>" && is_here(kThoughts[number].close, at);
  }

  // Code may hold tags, and words may be about them.
  [[nodiscard]] bool counts(std::size_t at, bool opens, std::size_t number) const {
    const bool begins_line = at == first_word_;
    if (fence_.open()) return !opens && begins_line;
    if (at > 0 && text_[at - 1] == '`') return false;
    const std::size_t last = last_close_[number];
    return begins_line || !opens || (last != std::string::npos && last > at);
  }

  std::string low_;
  std::string_view text_;
  std::array<std::size_t, kThoughts.size()> last_close_{};
  std::size_t first_word_ = 0;  // start of the line, blanks left out
  const ThoughtTags* open_ = nullptr;
  OpenFence fence_;
  std::string said_;
  std::string pending_;  // the thought that is open
  std::string thought_;  // the last one that ended
};

// "<|im_end|>", "</answer>"; the length of the token that the text ends with, or 0.
std::size_t end_token(std::string_view text) {
  if (text.empty() || text.back() != '>') return 0;
  const std::size_t begin = text.rfind('<');
  if (begin == std::string_view::npos) return 0;
  const std::string_view token = text.substr(begin);
  const bool is_one = token.starts_with("<|") || token.starts_with("</") ||
                      token.starts_with("<\uff5c") || token == "<eos>" || token == "<end_of_turn>";
  return is_one && token.find('\n') == std::string_view::npos ? token.size() : 0;
}

}  // namespace

std::string_view without_end_tokens(std::string_view text) {
  text = trimmed(text);
  while (const std::size_t length = end_token(text)) {
    text.remove_suffix(length);
    text = trimmed(text);
  }
  return text;
}

std::string spoken_text(std::string_view answer) {
  if (answer.starts_with(kByteOrderMark)) answer.remove_prefix(kByteOrderMark.size());
  return Listener(own_turn(answer)).listen();
}

}  // namespace kbench
