#include "reports/page/html_report.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/page/assets.hpp"
#include "reports/page/content_policy.hpp"
#include "reports/page/html_writer.hpp"
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

// The part of the page that a browser without scripts shows.
std::string plain_part(const std::string& html) {
  return html.substr(html.find("<body>"), html.find("<script") - html.find("<body>"));
}

TEST(HtmlReport, MatchesItsGolden) {
  test::expect_golden("reports/report.html",
                      skeleton_of(render_html(make_report_data(), {},
                                              {"2026-11-22T08:00:00Z", "kbench 0.1.0 (0123)"})));
}

// Was: only github, md, junit and json told what a night found.
TEST(HtmlReport, FindingsOfANightStandAboveAllElse) {
  ReportData data = make_report_data();
  EXPECT_THAT(plain_part(render_html(data)), Not(HasSubstr("class=\"night\"")));
  data.night.emplace();
  EXPECT_THAT(plain_part(render_html(data)),
              HasSubstr("<p class=\"kicker\">No earlier run that measured alike is at hand"))
      << "was: no row was suspected";
  data.trend.emplace();
  EXPECT_THAT(plain_part(render_html(data)), HasSubstr("No row was suspected of a regression."));
  data.trend.reset();
  data.night = {
      {"level1/019_relu", "ann", "v2", "cleared", false, "took 3 % longer"},
      {"level1/023_softmax", "<b>", "", "confirmed", true, "took 5 % longer, as /home/x/a"}};
  const std::string html = plain_part(render_html(data));
  EXPECT_THAT(html, HasSubstr("1 regression confirmed, 1 suspicion cleared"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#level1/023_softmax\">level1/023_softmax</a> of "
                              "<b>&lt;b&gt;</b><small>took 5 % longer, as "));
  EXPECT_THAT(html, Not(HasSubstr("/home")));
  EXPECT_LT(html.find("✗ confirmed"), html.find("✓ cleared")) << "what matters first";
  EXPECT_LT(html.find("ann@v2"), html.find("<h1")) << "and before the run";
  data.night->resize(30, {"level1/019_relu", "bob", "", "unclear", false, "not measured again"});
  EXPECT_THAT(plain_part(render_html(data)), HasSubstr("<li>and 10 more</li>"));
}

TEST(HtmlReport, LoadsNothingFromAnywhere) {
  const std::string html = render_html(make_report_data());
  EXPECT_EQ(count(html, R"((src|href)=["'](?!#|data:))"), 0);
  EXPECT_EQ(count(html, R"(@import|url\(|fetch\(|XMLHttpRequest|eval\(|innerHTML|import\()"), 0);
  // Three names of markup, which nobody loads.
  EXPECT_EQ(count(html, R"(https?://)"), 3);
  EXPECT_EQ(count(html, R"(http://www\.w3\.org/)"), 3);
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

TEST(HtmlReport, ThePublishersWordsAreTextAndNameThePage) {
  ReportData data = make_report_data();
  data.words.title = "Mine <script>alert(1)</script> \" onload=\"x";
  data.words.about =
      "## Why\n\nA *night* of `kernels`,\nsee [here](https://example.org/a?b=1&c).\n\n"
      "**<b onclick=alert(1)>bold**, 2 * 3 * 4, **open and *[in](https://example.org/i)*\n\n"
      "- <img src=x onerror=alert(1)>\n- [bad](javascript:alert(1)) "
      "![p](https://example.org/p.png)";
  const std::string html = render_html(data);
  EXPECT_EQ(count(html, "<script"), 2) << "only the page's own";
  EXPECT_EQ(count(html, "<img"), 0);
  EXPECT_EQ(count(html, R"(href="javascript)"), 0);
  EXPECT_EQ(count(html, R"( onload=")"), 0);
  for (const char* part :
       {"<h1>Mine &lt;script&gt;alert(1)&lt;/script&gt; &quot; onload=&quot;x</h1>",
        "property=\"og:title\" content=\"Mine &lt;script&gt;", "<h3>Why</h3>",
        "A <em>night</em> of <code>kernels</code>, see <a href=\"https://example.org/a?b=1&amp;c\" "
        "rel=\"noopener",
        "<li>&lt;img src=x onerror=alert(1)&gt;</li>",
        "<strong>&lt;b onclick=alert(1)&gt;bold</strong>, 2 * 3 * 4, **open and "
        "<em>[in](https://example.org/i)</em>",
        "name=\"description\" content=\"A night of kernels, see here.\""})
    EXPECT_THAT(html, HasSubstr(part));
}

// A star before code took one within the code for its end, and the code was lost.
TEST(HtmlReport, EmphasisDoesNotBeginBeforeCodeAndEndInIt) {
  ReportData data = make_report_data();
  data.words.about = "x*y or `p*q`, and `a*b*c`";
  const std::string html = render_html(data);
  EXPECT_THAT(html, HasSubstr("x*y or <code>p*q</code>, and <code>a*b*c</code>"));
  EXPECT_THAT(html, HasSubstr("content=\"x*y or p*q, and a*b*c"));
}

// Nobody who reads it learns whose machine it was made on.
TEST(HtmlReport, FoldersOfTheMachineAreNotPublished) {
  ReportData data = make_report_data();
  data.database = "/home/ann/runs/kbench.sqlite";
  data.run.command_line =
      "kbench run --db /home/ann/runs/kbench.sqlite --html=../../ann/x.html 'a/b.cpp' ~/ann/s";
  data.run.environment = R"({"host_compiler":"g++ at /home/ann/bin/g++","other":["/home/ann/x"]})";
  data.run.configuration = R"({"submissions":"/home/ann/subs","suite":"/home/ann/suite"})";
  data.chain.message = "the key is in /home/ann/.state";
  for (Evaluation& evaluation : data.evaluations)
    evaluation.message = "/home/ann/tmp/kernel.cpp:3: error: no such thing";
  const std::string html = render_html(data);
  EXPECT_EQ(count(html, "ann"), count(render_html(make_report_data()), "ann"));
  for (const char* part : {"kbench run --db kbench.sqlite --html=x.html &#39;a/b.cpp&#39; s",
                           "g++ at g++", "kernel.cpp:3: error"})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(HtmlReport, TheEnvironmentIsInUnitsThatAreRead) {
  ReportData data = make_report_data();
  data.run.environment =
      R"({"device":{"name":"Example GPU","memory_bytes":85899345920,"threads":0,"cache_bytes":33554432},)"
      R"("gpu":{"max_sm_clock_khz":1980000,"clock_limits":[]},"torch":"2.11.0",)"
      R"("calibration":{"between_runs":0.0012064073476669621},"unheard":{"of":7}})";
  const std::string text = plain_part(render_html(data));
  for (const char* part : {"80.0 GiB", "32.0 MiB", "1980 MHz", "0.12 %", "PyTorch", "unheard · of",
                           "Equal runs differ by", "As stored, in JSON"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("Clock limits")));
}

TEST(HtmlReport, RunsStandBesideEachOther) {
  ReportData data = make_report_data();
  ReportData other = make_report_data();
  other.run.id = "feed" + other.run.id;
  data.beside.push_back(std::move(other));
  const std::string html = render_html(data);
  const Json json = Json::parse(inline_data(html));
  const Json alone = Json::parse(inline_data(render_html(make_report_data())));
  const std::size_t boards = alone["boards"].size();
  ASSERT_EQ(json["boards"].size(), 2 * boards);
  ASSERT_EQ(json["rows"].size(), 2 * alone["rows"].size());
  // The second run's rows are its own, and its scores are those that it has alone.
  EXPECT_EQ(json["boards"][boards]["tasks"][0]["rows"][0], alone["rows"].size());
  EXPECT_EQ(json["boards"][boards]["scopes"], alone["boards"][0]["scopes"]);
  EXPECT_NE(json["boards"][boards]["run"], json["boards"][0]["run"]);
  EXPECT_THAT(html, HasSubstr("nothing is ranked across them"));
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
  for (const char* part :
       {"Quick: ", "Uncalibrated: 1 of 6 rows", "1 of 6 rows.</li>", "Few tasks: "})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("Unverified")));
  data.chain = {};
  EXPECT_THAT(render_html(data), HasSubstr("Unverified: "));
}

// Was "100 % [33–100]" and a first rank, by two tasks and without a word.
TEST(HtmlReport, RanksByFewTasksAreACautionWhereThereAreRanks) {
  ReportData data = make_report_data();
  std::erase_if(data.evaluations, [&](const Evaluation& evaluation) {
    return evaluation.submission &&
           evaluation.submission->agent != data.evaluations.back().submission->agent;
  });
  ASSERT_TRUE(data.evaluations.back().submission);
  EXPECT_THAT(plain_part(render_html(data)), Not(HasSubstr("Few tasks: ")));
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

// Hints showed their backticks.
TEST(HtmlWriter, WordsBetweenBackticksAreCodeAndOneAloneStandsAsItIs) {
  HtmlWriter html;
  html.open("p").text_with_code("type `a < b` or ` alone").close();
  EXPECT_THAT(html.take(), HasSubstr("type <code>a &lt; b</code> or ` alone"));
}

}  // namespace
}  // namespace kbench
