// The files of reports/page/assets, compiled in by reports/page/assets/embed.cmake.
#pragma once

#include <string_view>

namespace kbench::assets {

extern const std::string_view kPageHtml;  // skeleton with {{placeholders}}
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;      // the modules of assets/page, bundled
extern const std::string_view kStaticHtml;  // skeleton of a page without data, with the same style
extern const std::string_view kStaticJs;    // those modules that it needs

}  // namespace kbench::assets
