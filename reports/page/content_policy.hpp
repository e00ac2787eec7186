// Names a style or script in a Content-Security-Policy by its content, so that a browser runs these
// texts and no others, even if others are smuggled into the page.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// "'sha256-…'" of exactly the text between the tags.
[[nodiscard]] std::string policy_source(std::string_view text);

}  // namespace kbench
