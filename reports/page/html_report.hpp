// A run as one self-contained page that opens from disk and loads nothing:
// reports/page/assets/page.html filled with plain tables, one inline JSON (page_data) and the
// script that shows it. Without a script the tables are what is read.
#pragma once

#include <string>

#include "reports/facts/model.hpp"
#include "reports/page/environment_table.hpp"
#include "reports/page/page_model.hpp"
#include "reports/page/profile_choice.hpp"

namespace kbench {

[[nodiscard]] std::string render_html(const ReportData& data);
// The same with the section of these profiles, and where the page comes from.
[[nodiscard]] std::string render_html(const ReportData& data, const PageProfiles& profiles,
                                      const PageOrigin& origin = {});

// Title of the window.
[[nodiscard]] std::string page_title(const ReportData& data);
// One sentence, for sites that show a link to the page.
[[nodiscard]] std::string page_description(const PageModel& page);

}  // namespace kbench
