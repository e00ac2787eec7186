#include "reports/html_report.hpp"

#include <fmt/format.h>

#include "reports/page_data.hpp"
#include "reports/page_episodes.hpp"
#include "reports/page_model.hpp"
#include "reports/page_template.hpp"
#include "reports/static_tables.hpp"
#include "reports/verdict_card.hpp"

namespace kbench {

std::string render_html(const ReportData& data) {
  const PageModel page(data);
  return page_alone({.title = page_title(data),
                     .home = "",
                     .ranks = !verdict_card(data),
                     .headline = headline_html(page),
                     .results = results_html(page) + episodes_html(page),
                     .environment = environment_html(page),
                     .census = census_html(page)},
                    page_json(page));
}

std::string page_title(const ReportData& data) {
  return fmt::format("kbench results · {}", short_id(data.run));
}

}  // namespace kbench
