#include "reports/html_report.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "reports/assets.hpp"
#include "reports/content_policy.hpp"
#include "reports/page_data.hpp"
#include "reports/page_model.hpp"
#include "reports/sanitize.hpp"
#include "reports/static_tables.hpp"

namespace kbench {
namespace {

// Fills {{name}} once. What is filled in is not searched again.
std::string fill(std::string_view skeleton,
                 const std::map<std::string, std::string_view, std::less<>>& values) {
  std::string page;
  while (true) {
    const std::size_t begin = skeleton.find("{{");
    const std::size_t end = skeleton.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    page += skeleton.substr(0, begin);
    page += values.at(std::string(skeleton.substr(begin + 2, end - begin - 2)));
    skeleton.remove_prefix(end + 2);
  }
  return page.append(skeleton);
}

}  // namespace

std::string render_html(const ReportData& data) {
  const PageModel page(data);
  const std::string title =
      escape_html(fmt::format("kbench results · {}", data.run.id.substr(0, 12)));
  const std::string style_source = policy_source(assets::kPageCss);
  const std::string script_source = policy_source(assets::kPageJs);
  const std::string headline = headline_html(page);
  const std::string results = results_html(page);
  const std::string environment = environment_html(page);
  const std::string census = census_html(page);
  const std::string fields = fields_html();
  const std::string verdicts = verdicts_html();
  const std::string states = states_html();
  const std::string json = for_script_element(page_json(page));
  return fill(assets::kPageHtml, {{"title", title},
                                  {"style_source", style_source},
                                  {"script_source", script_source},
                                  {"style", assets::kPageCss},
                                  {"headline", headline},
                                  {"results", results},
                                  {"environment", environment},
                                  {"census", census},
                                  {"fields", fields},
                                  {"verdicts", verdicts},
                                  {"states", states},
                                  {"data", json},
                                  {"script", assets::kPageJs}});
}

}  // namespace kbench
