#include "reports/page/page_template.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "reports/page/assets.hpp"
#include "reports/page/content_policy.hpp"
#include "reports/page/page_data.hpp"
#include "reports/page/static_tables.hpp"

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

struct Linked {
  std::string style_source;  // sources that the page's policy allows
  std::string script_source;
  std::string style;  // the element
  std::string script;
};

// Links of the bar to what differs between pages.
std::string sections_of(const PageParts& parts) {
  const std::string profiles =
      parts.profiles.empty() ? ""
                             : fmt::format("<a href=\"{}#profiles\">Why slow</a>\n", parts.home);
  if (!parts.ranks) return fmt::format("<a href=\"{}#\">Result</a>\n{}", parts.home, profiles);
  return fmt::format("<a href=\"{0}#ranking\">Ranking</a>\n<a href=\"{0}#tasks\">Tasks</a>\n{1}",
                     parts.home, profiles);
}

Linked linked_within(std::string_view script) {
  return {policy_source(assets::kPageCss), policy_source(script),
          fmt::format("<style>{}</style>", assets::kPageCss),
          fmt::format("<script type=\"module\">{}</script>", script)};
}

std::string with(const PageParts& parts, const Json& data, const Linked& linked) {
  const std::string title = escape_html(parts.title);
  const std::string description = escape_html(parts.description);
  const std::string fields = fields_html();
  const std::string verdicts = verdicts_html();
  const std::string states = states_html();
  const std::string json = for_script_element(data);
  const std::string sections = sections_of(parts);
  return fill(assets::kPageHtml, {{"title", title},
                                  {"description", description},
                                  {"style_source", linked.style_source},
                                  {"script_source", linked.script_source},
                                  {"style", linked.style},
                                  {"home", parts.home},
                                  {"sections", sections},
                                  {"headline", parts.headline},
                                  {"results", parts.results},
                                  {"profiles", parts.profiles},
                                  {"environment", parts.environment},
                                  {"census", parts.census},
                                  {"fields", fields},
                                  {"verdicts", verdicts},
                                  {"states", states},
                                  {"data", json},
                                  {"script", linked.script}});
}

}  // namespace

std::string page_alone(const PageParts& parts, const Json& data) {
  return with(parts, data, linked_within(assets::kPageJs));
}

std::string static_page(const StaticPageParts& parts) {
  const std::string title = escape_html(parts.title);
  const Linked linked = linked_within(assets::kStaticJs);
  return fill(assets::kStaticHtml, {{"title", title},
                                    {"style_source", linked.style_source},
                                    {"script_source", linked.script_source},
                                    {"style", linked.style},
                                    {"links", parts.links},
                                    {"main", parts.main},
                                    {"script", linked.script}});
}

// The page of a site. From disk it may load no module, so the script is a classic one. For a
// browser that opens a file, 'self' is no origin: its scheme is named beside it.
std::string page_of_site(const PageParts& parts, const Json& data, std::string_view root) {
  return with(parts, data,
              {"'self' file:", "'self' file:",
               fmt::format("<link rel=\"stylesheet\" href=\"{}{}\">", root, kSiteStyle),
               fmt::format("<script defer src=\"{}{}\"></script>", root, kSiteScript)});
}

std::string_view site_style() { return assets::kPageCss; }

std::string site_script() {
  return fmt::format("(() => {{\n\"use strict\";\n{}}})();\n", assets::kPageJs);
}

}  // namespace kbench
