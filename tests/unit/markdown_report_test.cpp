#include "reports/formats/markdown_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MarkdownReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.md", render_markdown(test::make_formats_data()));
}

TEST(MarkdownReport, ForeignTextIsNoMarkup) {
  EXPECT_EQ(markdown_text("level1/019_relu"), "level1/019_relu");
  EXPECT_EQ(markdown_text("_a_"), "&#95;a&#95;");
  EXPECT_EQ(markdown_text("a|b"), "a&#124;b");
  EXPECT_EQ(markdown_text("<b>&"), "&#60;b&#62;&#38;");
  EXPECT_EQ(markdown_text("a\nb"), "a<br>b");
  EXPECT_EQ(markdown_text("![x](y)"), "!&#91;x&#93;(y)");
  EXPECT_EQ(markdown_text("`*~\\#$"), "&#96;&#42;&#126;&#92;&#35;&#36;");
  EXPECT_EQ(markdown_text("https://x.y"), "https&#58;//x.y");
  EXPECT_EQ(markdown_text("www.x"), "www&#46;x");
  EXPECT_EQ(markdown_text("1.92× ▲"), "1.92× ▲");
}

TEST(MarkdownReport, EachRowIsOneLineOfTheTable) {
  ReportData data = test::make_formats_data();
  data.evaluations.resize(1);
  data.evaluations[0].submission->agent = "a|b\n|c|\n\n# d";
  const std::string text = render_markdown(data);
  EXPECT_THAT(text, HasSubstr("<code>a&#124;b&#92;n&#124;c&#124;&#92;n&#92;n&#35; d</code>"));
  EXPECT_THAT(text, Not(HasSubstr("\n# d")));
}

TEST(MarkdownReport, WhatThereIsNoRoomForIsCounted) {
  const ReportData data = test::make_formats_data();
  const std::string whole = render_markdown(data);
  for (std::size_t most = 800; most < whole.size(); most += 50) {  // the heading alone has 630
    const std::string cut = render_markdown(data, most);
    EXPECT_LE(cut.size(), most);
    EXPECT_THAT(cut, HasSubstr("more than there is room for"));
  }
  EXPECT_EQ(render_markdown(data, whole.size() + 100), whole);
}

}  // namespace
}  // namespace kbench
