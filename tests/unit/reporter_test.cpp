#include "reports/write/reporter.hpp"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/clean_text.hpp"
#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

std::string rendered(const char* format, const ReportData& data) {
  return find_reporter(format)->render(data, {});
}

TEST(Reporter, EachHasANameAnEndingOfItsOwnAndAPurpose) {
  std::set<std::string_view> names;
  std::set<std::string_view> suffixes;
  for (const Reporter& one : reporters()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(one.suffix.empty() || suffixes.insert(one.suffix).second) << one.suffix;
    EXPECT_GT(one.help.size(), 10u);
    EXPECT_EQ(find_reporter(one.name), &one);
    if (one.suffix.empty()) continue;
    EXPECT_EQ(reporter_of_suffix("a/b" + std::string(one.suffix)), &one);
  }
  EXPECT_EQ(find_reporter("pdf"), nullptr);
  EXPECT_EQ(reporter_of_suffix("a/b"), nullptr);
  EXPECT_EQ(reporter_of_suffix("-"), nullptr);
}

// Those that have no test file of their own for this run.
TEST(Reporter, MatchesTheGoldensOfEveryState) {
  const ReportData data = test::make_formats_data();
  test::expect_golden("reports/formats/run.txt", rendered("table", data));
  test::expect_golden("reports/formats/run.json", rendered("json", data));
  test::expect_golden("reports/formats/run.jsonl", rendered("jsonl", data));
}

TEST(Reporter, AnEmptyRunIsAReportInEveryFormat) {
  for (const Reporter& one : reporters()) EXPECT_NO_THROW((void)one.render({}, {})) << one.name;
}

// tests/cli/formats_test.py parses what comes out; this is what no parser would notice.
TEST(Reporter, NothingSteersAReader) {
  ReportData data = test::make_formats_data();
  const std::vector<std::string> hostile{"<img src=x onerror=alert(1)>",
                                         "=HYPERLINK(\"x\")",
                                         "\x1b[2J\x1b]0;owned\x07",
                                         "\xe2\x80\xae"
                                         "evil",
                                         std::string(10'000, 'a'),
                                         "\n::error::x",
                                         "]]>",
                                         "\xff\xfe\xc0\xaf",
                                         "\xc2\x9b"
                                         "31m"};
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    data.evaluations[i].submission = SubmissionId{.agent = hostile[i], .name = hostile[i]};
    data.evaluations[i].message = data.evaluations[i].hint = hostile[i];
  }
  for (const Reporter& one : reporters()) {
    const std::string text = one.render(data, {});
    const bool markup = one.name == "md" || one.name == "html" || one.name == "junit";
    EXPECT_FALSE(markup && text.find("<img src=x") != text.npos) << one.name;
    for (std::string_view rest = text; !rest.empty();) {
      const CodePoint point = decode_utf8(rest);
      ASSERT_TRUE(point.valid) << one.name;
      const bool line_end = point.value == '\n' || (point.value == '\r' && one.name == "csv");
      ASSERT_TRUE(line_end || !steers_a_reader(point.value))
          << one.name << " at " << rest.substr(0, 20);
      rest.remove_prefix(point.bytes);
    }
  }
}

}  // namespace
}  // namespace kbench
