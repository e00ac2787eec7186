#include "reports/html_report.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html_writer.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using test::make_report_data;
using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

TEST(HtmlReport, MatchesItsGolden) {
  test::expect_golden("reports/report.html", render_html(make_report_data()));
}

TEST(HtmlReport, LoadsNothingFromAnywhere) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, R"((src|href)=["'](?!#))"), 0);
  EXPECT_EQ(count(html, R"(https?:|//[a-z]+\.|@import|url\(|fetch\()"), 0);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(HtmlReport, ForeignTextNeverBecomesMarkup) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, "<script"), 1) << "only the page's own";
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;document.title=&#39;owned&#39;"));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(HtmlReport, PlaceholdersInForeignTextAreNotFilledIn) {
  ReportData data = make_report_data();
  data.evaluations[0].message = "{{script}} {{unknown}}";
  const std::string html = render_html(data);
  EXPECT_THAT(html, HasSubstr("{{script}} {{unknown}}"));
  EXPECT_EQ(count(html, "<script"), 1);
}

TEST(HtmlReport, EveryLinkHasItsTarget) {
  const std::string html = render_html(make_report_data());
  const std::regex link("href=\"#([^\"]+)\"");
  int links = 0;
  for (std::sregex_iterator it(html.begin(), html.end(), link), end; it != end; ++it, ++links)
    EXPECT_THAT(html, HasSubstr("id=\"" + (*it)[1].str() + "\""));
  EXPECT_EQ(links, 8);
}

TEST(HtmlReport, HasASectionWithAPlotForEachMeasuredTask) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, "class=\"task\""), 4);
  EXPECT_EQ(count(html, "<svg "), 6);
  EXPECT_EQ(count(html, "class=\"marks dropped\""), 1);
  EXPECT_THAT(html, HasSubstr("kbench run --task level1/019_relu --size small --device cpu "
                              "--precision torch-default --agent example"));
}

TEST(HtmlReport, ARunWithoutAnythingIsStillAPage) {
  const std::string html = render_html({{.id = "r1"}, {}});
  EXPECT_THAT(html, HasSubstr("Nobody submitted anything"));
  EXPECT_THAT(html, HasSubstr("not finished"));
}

TEST(HtmlReport, SamplesThatAreAllEqualOrZeroArePlotted) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  for (Sample& sample : data.evaluations[0].samples) sample.time_ns = 4000;
  EXPECT_THAT(render_html(data), Not(HasSubstr("nan")));
  for (Sample& sample : data.evaluations[0].samples) sample.time_ns = 0;
  const std::string html = render_html(data);
  EXPECT_EQ(count(html, R"(d="[^"]*(nan|inf)|[ ±](nan|inf)[ ×])"), 0);
}

TEST(HtmlWriter, EscapesTextAndAttributes) {
  HtmlWriter html;
  html.open("p", {{"title", "\"><script>"}}).text("<&").close();
  EXPECT_EQ(html.take(), "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;&amp;</p>\n");
}

}  // namespace
}  // namespace kbench
