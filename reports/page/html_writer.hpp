// Writes HTML element by element. Every text and every attribute value passes escape_html here, so
// no caller can forget it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbench {

class HtmlWriter {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  // Tag and attribute names are constants of the caller.
  HtmlWriter& open(std::string_view tag, const Attributes& attributes = {});
  HtmlWriter& close();  // the innermost open element
  HtmlWriter& text(std::string_view text);
  // An element with nothing but text in it.
  HtmlWriter& element(std::string_view tag, std::string_view text,
                      const Attributes& attributes = {});
  // Text whose words between backticks are code; one backtick alone stands as it is.
  HtmlWriter& text_with_code(std::string_view text);
  // The finished text. Requires that every element is closed.
  [[nodiscard]] std::string take();

 private:
  std::string out_;
  std::vector<std::string_view> open_;
};

}  // namespace kbench
