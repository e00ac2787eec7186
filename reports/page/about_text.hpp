// The text that a publisher hands in (`--about FILE.md`) as HTML: paragraphs, headings, lists, code
// and links of Markdown, and nothing else. The text is foreign: all of it is escaped, no element
// but these comes out of it, and nothing is loaded because of it.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

[[nodiscard]] std::string about_html(std::string_view markdown);

// The text's first paragraph as one line without marks, at most so many letters: for sites that
// show a link to the page.
[[nodiscard]] std::string first_words(std::string_view markdown, std::size_t most);

}  // namespace kbench
