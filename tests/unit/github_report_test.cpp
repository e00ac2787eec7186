#include "reports/formats/github_report.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GithubReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.github",
                      render_github(test::make_formats_data(), "/home/ci/repo"));
}

TEST(GithubReport, EscapesAsTheToolkitDoes) {
  EXPECT_EQ(github_property("a%b:c,d\ne"), "a%25b%3Ac%2Cd%0Ae");
  EXPECT_EQ(github_message("100 %: a, b\nc"), "100 %25: a, b%0Ac");
  EXPECT_EQ(github_message("a\r\n::error::b"), "a\\x0d%0A::error::b");
}

TEST(GithubReport, EachLineIsACommandOfOurs) {
  ReportData data = test::make_formats_data();
  data.evaluations[1].message = "x\n::stop-commands::y\n::add-mask::z";
  data.evaluations[1].submission->agent = "\n::error::w";
  std::istringstream lines(render_github(data, ""));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_THAT(line, ::testing::AnyOf(StartsWith("::error file="), StartsWith("::warning title="),
                                       StartsWith("::notice title=")));
  EXPECT_EQ(count, 4 + 5 + 1 + 1);  // the last is of an ignored file
}

TEST(GithubReport, PathsAreThoseOfTheCheckout) {
  const ReportData data = test::make_formats_data();
  EXPECT_THAT(render_github(data, "/home/ci/repo"),
              HasSubstr("::error file=subs/bob/level1/019_relu.cpp,title=wrong result%3A "));
  EXPECT_THAT(render_github(data, "/elsewhere"), HasSubstr("file=019_relu.cpp,"));
}

TEST(GithubReport, ACompilersComplaintStandsAtItsLine) {
  ReportData data = test::make_formats_data();
  data.evaluations[1].message =
      "in x.hpp:3\n019_relu.cpp:12:5: error: no\n019_relu.cpp:14:1: error";
  EXPECT_THAT(render_github(data, "/home/ci/repo"),
              HasSubstr("bob/level1/019_relu.cpp,line=12,title="));
  data.evaluations[1].message = "019_relu.cpp:99999999999: x";
  EXPECT_THAT(render_github(data, "/home/ci/repo"), HasSubstr("bob/level1/019_relu.cpp,title="));
}

// Was: the same reason once for each of the tasks.
TEST(GithubReport, AReasonOfSeveralTasksStandsOnce) {
  ReportData data = test::make_formats_data();
  for (Evaluation& evaluation : data.evaluations) evaluation.unranked = "it has no inputs";
  const std::string text = render_github(data, "");
  const std::size_t first = text.find(": it has no inputs");
  EXPECT_EQ(first, text.npos) << "of one task";
  const std::size_t at = text.find("it has no inputs: level1/019_relu");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_EQ(text.find("it has no inputs", at + 1), text.npos);
}

TEST(GithubReport, TheSummaryFits) {
  ReportData data = test::make_formats_data();
  data.evaluations[1].message = std::string(2 * kMostSummaryBytes, 'x');
  EXPECT_LE(github_summary(data, kMostSummaryBytes).size(), kMostSummaryBytes);
  EXPECT_THAT(github_summary(data, kMostSummaryBytes), HasSubstr("019_relu"));
}

}  // namespace
}  // namespace kbench
