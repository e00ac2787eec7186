#include "reports/formats/junit_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(JunitReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.xml", render_junit(test::make_formats_data()));
}

TEST(JunitReport, TellsWhoseFaultItIs) {
  const std::string xml = render_junit(test::make_formats_data());
  EXPECT_THAT(xml, HasSubstr("tests=\"11\" failures=\"4\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"crash\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"infrastructure_error\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"skipped: it is for cpu"));
  EXPECT_THAT(xml, HasSubstr("max error 0.5, tolerance 2e-05"));
}

// Was: a run that was killed after its first row passed.
TEST(JunitReport, AnUnfinishedRunIsAnError) {
  ReportData data = test::make_formats_data();
  data.run.finished_at.clear();
  const std::string xml = render_junit(data);
  EXPECT_THAT(xml, HasSubstr("tests=\"12\" failures=\"4\" errors=\"2\""));
  EXPECT_THAT(xml, HasSubstr("message=\"The run is not finished: 10 rows are there\""));
}

TEST(JunitReport, HoldsAnyByte) {
  ReportData data = test::make_formats_data();
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  data.evaluations.resize(2);
  data.evaluations[1].message = all + "]]></failure><evil/>";
  data.evaluations[1].submission->name = all;
  const std::string xml = render_junit(data);
  for (const char c : xml) ASSERT_TRUE(c == '\n' || c >= ' ' || c < 0) << static_cast<int>(c);
  EXPECT_THAT(xml, Not(HasSubstr("<evil")));
  EXPECT_THAT(xml, Not(HasSubstr("]]>")));
  EXPECT_THAT(xml, HasSubstr("\\x00\\x01"));
  EXPECT_THAT(xml, HasSubstr("\\xfe\\xff"));
}

}  // namespace
}  // namespace kbench
