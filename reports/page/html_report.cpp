#include "reports/page/html_report.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/formats/verdict_card.hpp"
#include "reports/page/about_text.hpp"
#include "reports/page/environment_table.hpp"
#include "reports/page/html_writer.hpp"
#include "reports/page/page_data.hpp"
#include "reports/page/page_episodes.hpp"
#include "reports/page/page_merge.hpp"
#include "reports/page/page_model.hpp"
#include "reports/page/page_template.hpp"
#include "reports/page/profile_page.hpp"
#include "reports/page/static_tables.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostDescription = 200;

std::string heading(const std::string& text) { return HtmlWriter().element("h3", text).take(); }

// Several runs, each with its own tables.
std::string render_together(const ReportData& data, std::string profiles,
                            const PageOrigin& origin) {
  std::vector<std::unique_ptr<PageModel>> pages;
  pages.push_back(std::make_unique<PageModel>(data));
  for (const ReportData& other : data.beside) pages.push_back(std::make_unique<PageModel>(other));
  PageParts parts{.title = page_title(data),
                  .description = page_description(*pages.front()),
                  .home = "",
                  .headline = headline_html(pages)};
  parts.profiles = std::move(profiles);
  std::vector<RunPage> runs;
  for (const auto& page : pages) {
    const std::string name = run_words(*page);
    parts.results += heading(name) + results_html(*page) + episodes_html(*page);
    parts.environment += heading(name) + environment_html(*page, origin);
    parts.census += heading(name) + census_html(*page);
    runs.push_back({page_json(*page), name});
  }
  return page_alone(parts, merge_pages(std::move(runs)));
}

}  // namespace

std::string render_html(const ReportData& data) { return render_html(data, PageProfiles()); }

std::string render_html(const ReportData& data, const PageProfiles& profiles,
                        const PageOrigin& origin) {
  if (!data.beside.empty()) return render_together(data, profiles_html(profiles), origin);
  const PageModel page(data);
  return page_alone({.title = page_title(data),
                     .description = page_description(page),
                     .home = "",
                     .ranks = !verdict_card(data),
                     .headline = headline_html(page),
                     .results = results_html(page) + episodes_html(page),
                     .environment = environment_html(page, origin),
                     .census = census_html(page),
                     .profiles = profiles_html(profiles)},
                    page_json(page));
}

std::string page_title(const ReportData& data) {
  if (!data.words.title.empty()) return data.words.title;
  return fmt::format("kbench results · {}", short_id(data.run));
}

std::string page_description(const PageModel& page) {
  if (!page.data.words.about.empty()) return first_words(page.data.words.about, kMostDescription);
  if (const auto card = verdict_card(page.data))
    return fmt::format("{}: {}", card->task, card_title(*card));
  return page.boards.empty() ? "A run of kbench." : winners_of(page.boards[0]);
}

}  // namespace kbench
