#include "reports/formats/csv_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/formats_fixture.hpp"
#include "tests/unit/golden.hpp"

namespace kbench {
namespace {

TEST(CsvReport, MatchesItsGolden) {
  test::expect_golden("reports/formats/run.csv", render_csv(test::make_formats_data()));
}

TEST(CsvReport, WhatASpreadsheetWouldComputeIsText) {
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("+1"), "'+1");
  EXPECT_EQ(csv_text("-1"), "'-1");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_text("\t=1"), "'    =1");
  EXPECT_EQ(csv_text("\r=1"), "'\\x0d=1");
  EXPECT_EQ(csv_text("\n=1"), "\"'\n=1\"");
  EXPECT_EQ(csv_text("a=1"), "a=1");
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
}

TEST(CsvReport, CellsAreQuotedWhereTheyNeedToBe) {
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("a;b"), "\"a;b\"") << "another country's comma";
  EXPECT_EQ(csv_text(" a"), "\" a\"");
  EXPECT_EQ(csv_text("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_text("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(csv_text(""), "");
}

TEST(CsvReport, AnEmptyRunIsAHeading) {
  EXPECT_THAT(render_csv({}), ::testing::StartsWith("run_id,started_at,task,level,"));
  EXPECT_THAT(render_csv({}), ::testing::EndsWith("\r\n"));
}

}  // namespace
}  // namespace kbench
