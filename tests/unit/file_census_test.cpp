#include "runner/core/file_census.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats/console_report.hpp"
#include "reports/formats/github_report.hpp"
#include "reports/formats/junit_report.hpp"
#include "reports/formats/markdown_report.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Census some_census() {
  return {.evaluated = 3,
          .not_selected = 1,
          .ignored = {{"a/level1/019_rellu.cu", "there is no task level1/019_rellu", true},
                      {"a/README.md", "no source", false}}};
}

TEST(FileCensus, WhatIsStoredComesBack) {
  const auto back = read_census(census_json(some_census()).dump());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->summary(), "evaluated 3, not selected 1, ignored 2");
  EXPECT_EQ(back->mistaken(), 1);
  EXPECT_EQ(back->submissions(), 4);
  EXPECT_EQ(census_json(*back), census_json(some_census()));
}

TEST(FileCensus, ForeignTextIsNoCensusOrAPartOfOne) {
  for (const char* text : {"", "null", "[1, 2", "[]", "3"}) EXPECT_FALSE(read_census(text)) << text;
  const auto odd = read_census(
      R"({"evaluated":"many","other_device":-3,"not_selected":1e300,"ignored":[1,{"path":2,"mistaken":3}]})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->summary(), "evaluated 0, ignored 1");
  EXPECT_EQ(odd->mistaken(), 0);
}

// Was: in JSON and on the page alone.
TEST(FileCensus, EveryReportWithRoomForItNamesWhatWasMeantAsASubmission) {
  ReportData data;
  data.run.id = "aa";
  data.run.finished_at = "2026-11-21T13:02:00Z";
  data.run.configuration = R"({"submissions":"/ci/repo/subs"})";
  data.files = census_json(some_census()).dump();
  const std::string why = "there is no task level1/019_rellu";
  EXPECT_THAT(render_console(data), HasSubstr("Files: evaluated 3, not selected 1, ignored 2\n  ✗ "
                                              "a/level1/019_rellu.cu: " +
                                              why));
  const std::string page = render_markdown(data);
  EXPECT_THAT(page, HasSubstr("Files: evaluated 3, not selected 1, ignored 2"));
  EXPECT_THAT(page, HasSubstr(why));
  const std::string github = render_github(data, "/ci/repo");
  EXPECT_THAT(github, HasSubstr("::error file=subs/a/level1/019_rellu.cu,title=ignored::" + why));
  EXPECT_THAT(github, HasSubstr("files: evaluated 3, not selected 1, ignored 2"));
  EXPECT_THAT(github, Not(HasSubstr("README.md")));
  const std::string junit = render_junit(data);
  EXPECT_THAT(junit,
              HasSubstr("<testsuites name=\"kbench\" tests=\"2\" failures=\"1\" errors=\"0\" "
                        "skipped=\"1\""));
  EXPECT_THAT(junit,
              HasSubstr("<testcase classname=\"files\" name=\"a/README.md\" time=\"0.000\">\n"
                        "      <skipped message=\"no source\"/>"));
  EXPECT_THAT(junit, HasSubstr("<failure type=\"ignored\" message=\"" + why + "\">"));
}

}  // namespace
}  // namespace kbench
