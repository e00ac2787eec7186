#include "reports/page/html_writer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// Elements after which a line break does not show.
bool ends_line(std::string_view tag) {
  constexpr std::array<std::string_view, 19> kBlocks{
      "section", "header", "nav", "table", "thead",   "tbody",   "tr", "p",  "h1", "h2",
      "h3",      "div",    "svg", "li",    "details", "summary", "dl", "dd", "pre"};
  return std::find(kBlocks.begin(), kBlocks.end(), tag) != kBlocks.end();
}

}  // namespace

HtmlWriter& HtmlWriter::open(std::string_view tag, const Attributes& attributes) {
  out_ += "<";
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += " ";
    out_ += name;
    out_ += "=\"";
    out_ += escape_html(value);
    out_ += "\"";
  }
  out_ += ">";
  open_.push_back(tag);
  return *this;
}

HtmlWriter& HtmlWriter::close() {
  assert(!open_.empty());
  const std::string_view tag = open_.back();
  open_.pop_back();
  out_ += "</";
  out_ += tag;
  out_ += ends_line(tag) ? ">\n" : ">";
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  out_ += escape_html(text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view content,
                                const Attributes& attributes) {
  return open(tag, attributes).text(content).close();
}

HtmlWriter& HtmlWriter::text_with_code(std::string_view words) {
  for (;;) {
    const std::size_t begin = words.find('`');
    const std::size_t end = begin == words.npos ? begin : words.find('`', begin + 1);
    if (end == words.npos) return text(words);
    text(words.substr(0, begin)).element("code", words.substr(begin + 1, end - begin - 1));
    words.remove_prefix(end + 1);
  }
}

std::string HtmlWriter::take() {
  assert(open_.empty());
  return std::move(out_);
}

}  // namespace kbench
