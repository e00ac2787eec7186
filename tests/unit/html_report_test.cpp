#include "reports/html_report.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/assets.hpp"
#include "reports/content_policy.hpp"
#include "reports/html_writer.hpp"
#include "runner/core/json.hpp"
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

void replace(std::string& text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, what.size(), with);
}

// The text between the tags of the inline JSON.
std::string inline_data(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

// The page without style, script and data, which have tests of their own.
std::string skeleton_of(std::string html) {
  replace(html, policy_source(assets::kPageCss), "STYLE");
  replace(html, policy_source(assets::kPageJs), "SCRIPT");
  replace(html, assets::kPageCss, "STYLE");
  replace(html, inline_data(html), "DATA");
  replace(html, assets::kPageJs, "SCRIPT");
  return html;
}

// What a browser without scripts shows.
std::string plain_part(const std::string& html) {
  return html.substr(html.find("<body>"), html.find("<script") - html.find("<body>"));
}

TEST(HtmlReport, MatchesItsGolden) {
  test::expect_golden("reports/report.html", skeleton_of(render_html(make_report_data())));
}

TEST(HtmlReport, LoadsNothingFromAnywhere) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, R"((src|href)=["'](?!#))"), 0);
  EXPECT_EQ(count(html, R"(@import|url\(|fetch\(|XMLHttpRequest|eval\(|innerHTML|import\()"), 0);
  // Two names of markup, which nobody loads.
  EXPECT_EQ(count(html, R"(https?://)"), 2);
  EXPECT_EQ(count(html, R"(http://www\.w3\.org/)"), 2);
}

TEST(HtmlReport, RunsNoScriptAndNoStyleButItsOwn) {
  const std::string html = render_html(make_report_data());
  EXPECT_THAT(html, HasSubstr("default-src 'none'; style-src " + policy_source(assets::kPageCss) +
                              "; script-src " + policy_source(assets::kPageJs) + "; base-uri"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_EQ(count(html, R"( style="| on[a-z]+=")"), 0);
}

TEST(HtmlReport, TheBundleHasNoImportsLeft) {
  EXPECT_EQ(count(std::string(assets::kPageJs), R"(\n(import|export) )"), 0);
  EXPECT_THAT(std::string(assets::kPageJs), Not(HasSubstr("</script")));
}

TEST(HtmlReport, ForeignTextNeverBecomesMarkup) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, "<script"), 2) << "only the page's own";
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;document.title=&#39;owned&#39;"));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(HtmlReport, PlaceholdersInForeignTextAreNotFilledIn) {
  ReportData data = make_report_data();
  data.run.command_line = "{{script}} {{unknown}}";
  const std::string html = render_html(data);
  EXPECT_THAT(html, HasSubstr("{{script}} {{unknown}}"));
  EXPECT_EQ(count(html, "<script"), 2);
}

TEST(HtmlReport, ReadsWithoutAScript) {
  ReportData data = make_report_data();
  data.chain = {ChainFinding::State::kChanged, "row 2 (level1/019_relu of example) is another"};
  const std::string text = plain_part(render_html(data));
  for (const char* part :
       {"These rows were changed: row 2", "Not ranked: this task counts in no score"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(HtmlReport, ReadsWithoutAScriptWhatWasFound) {
  const std::string text = plain_part(render_html(make_report_data()));
  for (const char* part :
       {"agents tie for first: ", "level1/019_relu", "level2/055_matmul_sum", "level3/007_lenet5",
        "2.00×", "wrong result", "compile error", "Not ranked: this task counts in no score",
        "Example CPU", "kbench run --level 1"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(HtmlReport, EveryLinkHasItsTarget) {
  const std::string html = plain_part(render_html(make_report_data()));
  const std::regex link("href=\"#([^\"]+)\"");
  int links = 0;
  // The script makes these two.
  const std::string made = " id=\"ranking\" id=\"tasks\"";
  for (std::sregex_iterator it(html.begin(), html.end(), link), end; it != end; ++it, ++links)
    EXPECT_THAT(html + made, HasSubstr("id=\"" + (*it)[1].str() + "\""));
  EXPECT_EQ(links, 5);
}

TEST(HtmlReport, ARunWithoutAnythingIsStillAPage) {
  const std::string html = render_html({{.id = "r1"}, {}});
  EXPECT_THAT(html, HasSubstr("Nobody submitted anything"));
  EXPECT_THAT(html, HasSubstr("not finished"));
  EXPECT_FALSE(Json::parse(inline_data(html), nullptr, false).is_discarded());
}

TEST(HtmlReport, TheCensusNamesEachIgnoredFile) {
  ReportData data = make_report_data();
  EXPECT_THAT(render_html(data), HasSubstr("No folder of submissions was looked through"));
  data.files = R"({"evaluated":3,"other_device":1,"not_selected":0,"ignored":
      [{"path":"a/<b>.cpp","why":"no such task","mistaken":true}]})";
  const std::string html = render_html(data);
  EXPECT_THAT(html, HasSubstr("Evaluated 3, for another device 1"));
  EXPECT_THAT(html, HasSubstr("a/&lt;b&gt;.cpp"));
  data.files = "[1, 2";
  EXPECT_THAT(render_html(data), HasSubstr("No folder of submissions"));
}

TEST(HtmlReport, CautionsStandInTheHeadline) {
  ReportData data = make_report_data();
  data.quick = true;
  data.chain = {ChainFinding::State::kHolds, ""};
  data.evaluations[0].calibration.reset();
  data.evaluations[1].labels = "streams busy_machine";
  const std::string text = plain_part(render_html(data));
  for (const char* part : {"Quick: ", "Uncalibrated: 1 of 6 rows", "1 of 6 rows.</li>"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("Unverified")));
  data.chain = {};
  EXPECT_THAT(render_html(data), HasSubstr("Unverified: "));
}

TEST(ContentPolicy, IsBase64OfTheHash) {
  // printf 'abc' | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(policy_source("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST(HtmlWriter, EscapesTextAndAttributes) {
  HtmlWriter html;
  html.open("p", {{"title", "\"><script>"}}).text("<&").close();
  EXPECT_EQ(html.take(), "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;&amp;</p>\n");
}

}  // namespace
}  // namespace kbench
