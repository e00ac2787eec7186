#include "reports/page/about_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reports/facts/sanitize.hpp"
#include "reports/page/html_writer.hpp"

namespace kbench {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

// "## Heading" → "Heading"
std::optional<std::string_view> heading_of(std::string_view line) {
  const std::size_t marks = line.find_first_not_of('#');
  if (marks == 0 || marks == line.npos || marks > 6 || line[marks] != ' ') return std::nullopt;
  return line.substr(marks + 1);
}

std::optional<std::string_view> item_of(std::string_view line) {
  const bool is_item = line.starts_with("- ") || line.starts_with("* ");
  return is_item ? std::optional(line.substr(2)) : std::nullopt;
}

// True for an address that a link may lead to: another page of the web, never a script.
bool is_address(std::string_view text) {
  const bool web = text.starts_with("https://") || text.starts_with("http://");
  return web && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '<' || c == '>';
         });
}

struct Link {
  std::string_view text;
  std::string_view address;
  std::size_t length = 0;  // bytes of text and marks
};

// "[text](https://…)" at the beginning.
std::optional<Link> link_at(std::string_view text) {
  if (!text.starts_with('[')) return std::nullopt;
  const std::size_t middle = text.find("](");
  if (middle == text.npos) return std::nullopt;
  const std::size_t end = text.find(')', middle);
  if (end == text.npos) return std::nullopt;
  const Link link{text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2), end + 1};
  return is_address(link.address) ? std::optional(link) : std::nullopt;
}

struct Emphasis {
  std::string_view element;  // "strong" or "em"
  std::string_view text;     // text without the marks
  std::size_t length = 0;    // bytes of text and marks
};

// "**text**" or "*text*" at the beginning. Marks touch their text, so "2 * 3 * 4" has none.
std::optional<Emphasis> emphasis_at(std::string_view text) {
  for (const auto& [mark, element] : {std::pair<std::string_view, std::string_view>{"**", "strong"},
                                      std::pair<std::string_view, std::string_view>{"*", "em"}}) {
    if (!text.starts_with(mark)) continue;
    const std::size_t end = text.find(mark, mark.size());
    if (end == text.npos || end == mark.size()) return std::nullopt;
    const std::string_view inner = text.substr(mark.size(), end - mark.size());
    const bool cuts_code = std::count(inner.begin(), inner.end(), '`') % 2 != 0;
    if (inner.starts_with('*') || cuts_code || is_blank(inner.substr(0, 1)) ||
        is_blank(inner.substr(inner.size() - 1)))
      return std::nullopt;
    return Emphasis{element, inner, end + mark.size()};
  }
  return std::nullopt;
}

std::string without_marks(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t code = text.starts_with('`') ? text.find('`', 1) : text.npos;
    if (const auto link = link_at(text)) {
      plain += link->text;
      text.remove_prefix(link->length);
      continue;
    }
    const auto emphasis = emphasis_at(text);
    const std::size_t length = code != text.npos ? code + 1 : emphasis ? emphasis->length : 1;
    plain += emphasis ? emphasis->text : text.substr(0, length);
    text.remove_prefix(length);
  }
  return plain;
}

// A line with its code, links and emphasis. Text within marks is text alone.
void write_line(HtmlWriter& html, std::string_view text) {
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) html.text(plain);
    plain.clear();
  };
  while (!text.empty()) {
    if (const auto link = link_at(text)) {
      flush();
      html.element("a", link->text,
                   {{"href", std::string(link->address)}, {"rel", "noopener noreferrer nofollow"}});
      text.remove_prefix(link->length);
      continue;
    }
    if (const auto emphasis = emphasis_at(text)) {
      flush();
      html.element(emphasis->element, emphasis->text);
      text.remove_prefix(emphasis->length);
      continue;
    }
    const std::size_t end = text.starts_with('`') ? text.find('`', 1) : text.npos;
    if (end != text.npos) {
      flush();
      html.element("code", text.substr(1, end - 1));
      text.remove_prefix(end + 1);
      continue;
    }
    plain += text.front();
    text.remove_prefix(1);
  }
  flush();
}

// Elements of blocks, each opened once and closed where another kind begins.
class Blocks {
 public:
  explicit Blocks(HtmlWriter& html) : html_(html) {}
  ~Blocks() { enter(""); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void line(std::string_view text) {
    if (is_blank(text)) return enter("");
    if (const auto heading = heading_of(text)) {
      enter("");
      html_.element("h3", *heading);
      return;
    }
    if (const auto item = item_of(text)) {
      enter("ul");
      html_.open("li");
      write_line(html_, *item);
      html_.close();
      return;
    }
    const bool goes_on = kind_ == "p";
    enter("p");
    if (goes_on) html_.text(" ");
    write_line(html_, text);
  }

 private:
  void enter(std::string_view kind) {
    if (kind == kind_) return;
    if (!kind_.empty()) html_.close();
    kind_ = kind;
    if (!kind_.empty()) html_.open(kind_);
  }

  HtmlWriter& html_;
  std::string_view kind_;
};

}  // namespace

std::string about_html(std::string_view markdown) {
  HtmlWriter html;
  html.open("div", {{"class", "prose about"}});
  {
    Blocks blocks(html);
    for (const std::string_view line : lines_of(markdown)) blocks.line(line);
  }
  html.close();
  return html.take();
}

std::string first_words(std::string_view markdown, std::size_t most) {
  std::string words;
  for (const std::string_view line : lines_of(markdown)) {
    if (is_blank(line) && !words.empty()) break;
    if (is_blank(line) || heading_of(line)) continue;
    if (!words.empty()) words += ' ';
    words += without_marks(item_of(line).value_or(line));
  }
  std::erase(words, '`');
  return shorten(sanitize_line(words), most);
}

}  // namespace kbench
