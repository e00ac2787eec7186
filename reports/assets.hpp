// The files of reports/assets, compiled in by reports/assets/embed.cmake. Used by html_report only.
#pragma once

#include <string_view>

namespace kbench::assets {

extern const std::string_view kPageHtml;  // skeleton with {{placeholders}}
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;  // the modules of assets/page, bundled

}  // namespace kbench::assets
