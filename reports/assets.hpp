// The files of reports/assets, compiled in by reports/assets/embed.cmake. Used by html_report only.
#pragma once

#include <string_view>

namespace kbench::assets {

extern const std::string_view
    kPageHtml;  // skeleton with {{title}}, {{style}}, {{body}}, {{script}}
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace kbench::assets
