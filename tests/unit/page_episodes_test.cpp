#include "reports/page/page_episodes.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/page/html_report.hpp"
#include "reports/page/page_data.hpp"
#include "reports/page/site.hpp"
#include "tests/fakes/episode_maker.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using test::EpisodeMaker;
using test::kHostileAgent;
using ::testing::HasSubstr;
using ::testing::Not;

// Text that a model may write wherever it writes: markup, the end of a script, controls, bytes.
const std::string kHostile = kHostileAgent +
                             "</script><img src=x onerror=alert(1)> \x07\x1b]0;owned\x07 "
                             "\xe2\x80\xa8 <!-- ";

StoredEpisode submitting(const std::string& id, const std::string& key) {
  EpisodeMaker maker(id, "0123456789abcdef0123456789abcdef");
  maker
      .turn({{.tool = "write",
              .arguments = R"({"path":"k.cpp"})",
              .before = "",
              .after = "a1b2c3d4e5"}})
      .turn({{.tool = "verify", .before = "a1b2c3d4e5", .result = R"({"state": "wrong_result"})"},
             {.tool = "submit", .before = "a1b2c3d4e5", .evaluation = key}})
      .end(StopReason::kSubmit);
  return {maker.episode(), maker.contents()};
}

StoredEpisode hostile() {
  EpisodeMaker maker("</script>", "0123456789abcdef0123456789abcdef");
  maker.episode().model = kHostile;
  maker
      .turn({{.tool = kHostile,
              .arguments = kHostile,
              .before = "",
              .after = "</script>",
              .error = CallError::kUnknownTool,
              .result = kHostile + std::string(20'000, 'x')}})
      .end(StopReason::kTurns);
  StoredEpisode stored{maker.episode(), maker.contents()};
  // An endpoint may answer what is no JSON at all.
  stored.contents[stored.episode.turns[0].reply] = kHostile;
  return stored;
}

ReportData data_with(std::vector<StoredEpisode> episodes) {
  ReportData data = test::make_report_data();
  data.episodes = std::move(episodes);
  return data;
}

Json json_of(const ReportData& data) { return page_episodes_json(PageModel(data)); }

TEST(PageEpisodes, TellWhatWasTriedAndWhichRowItBecame) {
  const ReportData data =
      data_with({submitting("0011223344556677", "example/level1/019_relu.cpp")});
  const PageModel page(data);
  const Json episodes = page_episodes_json(page);
  ASSERT_EQ(episodes.size(), 1u);
  const Json& episode = episodes[0];
  EXPECT_EQ(episode["id"], "001122334455");
  EXPECT_EQ(episode["stop"], "submit");
  EXPECT_EQ(episode["count"], 2);
  EXPECT_EQ(episode["tokens"], 100 + 10 + 200 + 10);
  EXPECT_THAT(episode["command"].get<std::string>(),
              HasSubstr("kbench episodes show 0011223344556677 --db kbench.sqlite"));
  const Json& first = episode["turns"][0]["calls"][0];
  EXPECT_EQ(first["tree"], "a1b2c3d4");
  EXPECT_TRUE(first["row"].is_null());
  EXPECT_EQ(episode["turns"][1]["calls"][0]["state"], "wrong_result");
  const std::size_t row = episode["turns"][1]["calls"][1]["row"];
  EXPECT_EQ(page.rows.at(row).submission, "example/level1/019_relu.cpp");
  EXPECT_EQ(episode["row"], row);
  EXPECT_EQ(episode["turns"][0]["said"], "turn 1");
}

TEST(PageEpisodes, WhatAModelWroteNeverBecomesMarkup) {
  const ReportData data = data_with({hostile()});
  const std::string html = render_html(data);
  EXPECT_THAT(html, Not(HasSubstr("onerror=alert(1)>")));
  EXPECT_THAT(html, Not(HasSubstr("</script><img")));
  for (const char* control : {"\x1b", "\x07", "\xe2\x80\xae", "\xe2\x80\xa8"})
    EXPECT_THAT(html, Not(HasSubstr(control)));
  const Json episode = json_of(data)[0];
  EXPECT_THAT(episode.dump(), Not(HasSubstr("\x1b")));
  EXPECT_EQ(episode["turns"][0]["calls"][0]["error"], "unknown_tool");
  EXPECT_THAT(episode["turns"][0]["said"].get<std::string>(), HasSubstr("\\x1b[31m"));
  EXPECT_THAT(episode["turns"][0]["calls"][0]["result"].get<std::string>(),
              HasSubstr("bytes are left out"));
}

TEST(PageEpisodes, StandInATableWithoutAScript) {
  EXPECT_EQ(episodes_html(PageModel(test::make_report_data())), "");
  const ReportData data = data_with({submitting("0011", "example/level1/019_relu.cpp"), hostile()});
  const std::string html = episodes_html(PageModel(data));
  EXPECT_THAT(html, HasSubstr("<td>submit</td>"));
  EXPECT_THAT(html, HasSubstr("<td>ok</td>"));
  EXPECT_THAT(html, HasSubstr("<td>turns</td>"));
}

TEST(PageEpisodes, TextsBeyondWhatThePageTakesAreLeftOut) {
  std::vector<StoredEpisode> many;
  EpisodeMaker maker("00", "0123456789abcdef0123456789abcdef");
  for (int i = 0; i < 700; ++i)
    maker.turn({{.result = std::string(8000, 'a') + std::to_string(i)}});
  many.push_back({maker.episode(), maker.contents()});
  const Json episode = json_of(data_with(std::move(many)))[0];
  EXPECT_FALSE(episode["turns"][0]["calls"][0]["result"].is_null());
  EXPECT_TRUE(episode["turns"][699]["calls"][0]["result"].is_null());
  EXPECT_LT(for_script_element(episode).size(), 6u << 20);
}

TEST(PageEpisodes, InASiteTheyStandWithTheirTask) {
  const ReportData data = data_with({submitting("0011", "example/level1/019_relu.cpp")});
  int with = 0;
  for (const SiteFile& file : render_site(data)) {
    if (!file.path.ends_with(".html")) continue;
    const std::string open = "id=\"data\">";
    const std::size_t begin = file.text.find(open) + open.size();
    const Json json =
        Json::parse(file.text.substr(begin, file.text.find("</script>", begin) - begin));
    for (const Json& episode : json["episodes"]) {
      if (file.path == "index.html") {
        EXPECT_TRUE(episode["turns"].empty());
        EXPECT_EQ(episode["count"], 2);
        continue;
      }
      ++with;
      EXPECT_THAT(file.path, HasSubstr("019_relu"));
      const std::size_t row = episode["turns"][1]["calls"][1]["row"];
      std::size_t agent = 0;
      for (std::size_t i = 0; i < json["fields"].size(); ++i)
        if (json["fields"][i]["name"] == "submission") agent = i;
      EXPECT_EQ(json["rows"][row][agent], "example/level1/019_relu.cpp");
    }
  }
  EXPECT_EQ(with, 1);
}

}  // namespace
}  // namespace kbench
