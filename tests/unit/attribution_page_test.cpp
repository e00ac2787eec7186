// The page of a study: all of it is there without a script, and names in it stay names.
#include "reports/attribution/attribution_page.hpp"

#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/attribution/attribution_chart.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/page/assets.hpp"
#include "reports/page/content_policy.hpp"
#include "reports/page/html_writer.hpp"
#include "tests/unit/example_study.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/study_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

// The part of the page that a browser without scripts shows.
std::string static_part(const std::string& html) {
  return html.substr(html.find("<body>"), html.find("<script") - html.find("<body>"));
}

// Twelve states of three strata; `names` are the strata's and, twice, a label's.
Attribution study_of(const std::vector<std::string>& names) {
  std::string lines;
  for (int number = 0; number < 12; ++number) {
    const std::string& name = names[static_cast<std::size_t>(number) % names.size()];
    lines += test::state_lines(
        {fmt::format("s{}", number), "task", fmt::format("t{}", number / 2), name}, {"a", "b"}, 1,
        [&](Coalition at, int) {
          return fmt::format(R"({{"correct": {}}}, "labels": {{"model": "{}"}})",
                             at % 2 == 0 ? 0.25 : 0.5 + 0.01 * number, name);
        });
  }
  return test::findings_of(lines, {{}, {}, {"stratum", "model"}});
}

TEST(AttributionPage, TheStaticPartMatchesItsGolden) {
  const std::string html =
      render_attribution_page(test::example_study({{}, {}, {"stratum"}}), "example.jsonl");
  test::expect_golden("attribution/example.html", static_part(html));
}

TEST(AttributionPage, TheFirstLinesAreThoseOfTheConsole) {
  Attribution found = test::example_study();
  found.alarms = {"the control sham fails"};
  const std::string html = static_part(render_attribution_page(found, "example.jsonl"));
  std::size_t at = html.find("! the control sham fails");
  ASSERT_NE(at, html.npos);
  std::vector<std::string> lines;
  for (const ComponentAnswer& answer : found.answers) lines.push_back(answer_words(found, answer));
  for (const std::string& line : scope_words(found)) lines.push_back(line);
  for (const std::string& line : lines) {
    const std::size_t next = html.find(escape_html(line), at);
    ASSERT_NE(next, html.npos) << line;
    at = next;
  }
  EXPECT_LT(at, html.find("<table"));
}

TEST(AttributionPage, RunsNoScriptAndNoStyleButItsOwn) {
  const std::string html = render_attribution_page(test::example_study(), "example.jsonl");
  EXPECT_THAT(html, HasSubstr("default-src 'none'; style-src " + policy_source(assets::kPageCss) +
                              "; script-src " + policy_source(assets::kStaticJs) + "; base-uri"));
  EXPECT_EQ(count(html, R"((src|href)=["'](?!#))"), 0);
  EXPECT_EQ(count(html, R"( style="| on[a-z]+=)"), 0);
  EXPECT_EQ(count(std::string(assets::kStaticJs), R"(\n(import|export) )"), 0);
}

TEST(AttributionPage, EachLinkLeadsToASection) {
  const std::string html = static_part(render_attribution_page(study_of({"x", "y"}), "x.jsonl"));
  const std::regex link(R"re(<a href="#(\w+)")re");
  int links = 0;
  for (std::sregex_iterator one(html.begin(), html.end(), link), end; one != end; ++one, ++links)
    EXPECT_THAT(html, HasSubstr(fmt::format("<section id=\"{}\">", (*one)[1].str())));
  EXPECT_EQ(links, 4);  // it has neither other arms nor a transfer
}

TEST(AttributionPage, NamesStayNames) {
  const std::vector<std::string> hostile = {"<img src=x onerror=alert(1)>",
                                            R"(\"><script>alert(2)</script>)",
                                            "'-->{{main}}</section></main>"};
  const std::string html = render_attribution_page(study_of(hostile), "<b>\xe2\x80\xae.jsonl");
  const std::string tame = render_attribution_page(study_of({"1", "2", "3"}), "b.jsonl");
  for (const char* mark : {"<[a-z]+", "</[a-z]+", "<!--"})
    EXPECT_EQ(count(html, mark), count(tame, mark)) << mark;
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_THAT(html, HasSubstr("{{main}}&lt;/section&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("\xe2\x80\xae")));
}

std::string chart_of(const std::vector<ChartRow>& rows) {
  HtmlWriter html;
  write_estimate_chart(html, "effects", rows);
  return html.take();
}

TEST(AttributionPage, ADotAloneHasNoIntervalAndAWhiskerAloneIsABound) {
  const Estimate known = estimate({0.1, 0.2, 0.3, 0, 0.1, 0.2});
  const Estimate few = estimate({0.1, 0.2, 0.3});
  const Estimate never = estimate(std::vector<double>(20, 0), Nothing{1});
  const auto drawn = [](const Estimate& one) {
    const std::string chart = chart_of({{"a", "keep", one}});
    return std::pair(count(chart, "<circle"), count(chart, "\"whisker\""));
  };
  EXPECT_EQ(drawn(known), std::pair(1, 3));
  EXPECT_EQ(drawn(few), std::pair(1, 0));
  EXPECT_EQ(drawn(never), std::pair(0, 3));
}

TEST(AttributionPage, AllIsOnTheAxis) {
  Estimate wide;
  wide.mean = 0.5;
  wide.interval = ConfidenceInterval{-0.25, 1.25};
  const EstimateAxis axis = axis_of({wide, estimate({0.1, 0.2})});
  EXPECT_EQ(axis.low, -0.25);
  EXPECT_EQ(axis.high, 1.25);
  EXPECT_EQ(axis_of({}).low, -kSmallEffect);
  const std::string chart = chart_of({{"a", "keep", wide}});
  EXPECT_THAT(chart, HasSubstr(R"(<line x1="12.0" y1="29.0" x2="340.0" y2="29.0")"));
  EXPECT_THAT(chart, HasSubstr(">+.50</text>"));
}

TEST(AttributionPage, ALongNameLeavesRoomForItsNumbers) {
  const std::string chart =
      chart_of({{std::string(64, 'm'), "keep", estimate({0.1, 0.2, 0.3, 0, 0.1, 0.2})}});
  EXPECT_THAT(chart, HasSubstr("m…: keep</text>"));
  EXPECT_THAT(chart, HasSubstr("+.15 [.04, .26]</text>"));
}

TEST(AttributionPage, LargeNumbersStayWithinTheChart) {
  Estimate large;
  large.mean = -123'456'789;
  large.interval = ConfidenceInterval{-1e9, 1e9};
  const std::string chart = chart_of({{"analyzer", "cannot tell", large}});
  EXPECT_THAT(chart, HasSubstr("analyzer: cannot tell</text>"));
  EXPECT_THAT(chart, HasSubstr(">−123,456,789</text>"));
  EXPECT_THAT(chart, HasSubstr(R"(text-anchor="end" class="label">+1,000,000,000</text>)"));
  EXPECT_EQ(count(chart, "\"label\""), 3);
}

}  // namespace
}  // namespace kbench
