// A vendor's library in reports: a time and speed-ups, or a reason; nothing where nobody asked.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/fields.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/formats/result_table.hpp"
#include "reports/formats/verdict_card.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Evaluation measured() {
  Evaluation row = test::base_evaluation("level2/076_gemm_add_relu", 2);
  test::set_submission(row, "example", "");
  test::add_checks(row, 1e-7);
  test::add_samples(row, Side::kEager, 3'000'000);
  test::add_samples(row, Side::kSubmission, 1'000'000);
  return row;
}

Evaluation with_vendor() {
  Evaluation row = measured();
  test::add_samples(row, Side::kVendor, 2'000'000);
  row.vendor_algorithm = "cuBLASLt algorithm 66";
  return row;
}

Json field(const ResultRow& row, const std::string& name) { return result_field(name).value(row); }

bool has_column(const Evaluation& row, const std::string& heading) {
  const std::vector<ResultRow> rows{derive(row)};
  const auto columns = result_columns(rows, 40);
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.heading == heading; });
}

TEST(VendorFields, TellTimeAlgorithmAndBothSpeedups) {
  const ResultRow row = derive(with_vendor());
  EXPECT_NEAR(field(row, "vendor.time_ns").get<double>(), 2e6, 1e5);
  EXPECT_EQ(field(row, "vendor.algorithm"), "cuBLASLt algorithm 66");
  EXPECT_NEAR(field(row, "vendor.speedup").at("estimate").get<double>(), 2, 0.1);
  EXPECT_NEAR(field(row, "vendor.over_eager").at("estimate").get<double>(), 1.5, 0.1);
  EXPECT_TRUE(field(row, "vendor.reason").is_null());
  EXPECT_TRUE(has_column(with_vendor(), "vs vendor"));
}

TEST(VendorFields, TellWhyThereIsNone) {
  Evaluation asked = measured();
  asked.vendor_reason = "softmax is no epilogue of cuBLASLt";
  const ResultRow row = derive(asked);
  EXPECT_EQ(field(row, "vendor.reason"), "softmax is no epilogue of cuBLASLt");
  EXPECT_TRUE(field(row, "vendor.time_ns").is_null());
  EXPECT_TRUE(has_column(asked, "vs vendor"));
}

TEST(VendorFields, AreEmptyWhereNobodyAsked) {
  const ResultRow row = derive(measured());
  for (const char* name : {"vendor.time_ns", "vendor.reason", "vendor.algorithm", "vendor.speedup",
                           "vendor.over_eager"})
    EXPECT_TRUE(field(row, name).is_null()) << name;
  EXPECT_FALSE(has_column(measured(), "vs vendor"));
}

TEST(VendorFields, StandInALineOfBaselinesAlone) {
  Evaluation alone = with_vendor();
  alone.submission.reset();
  alone.state = State::kNoSubmission;
  alone.correct.reset();
  EXPECT_THAT(format_row_line(derive(alone), {}), HasSubstr(", vendor "));
  alone.vendor_algorithm.clear();
  std::erase_if(alone.samples, [](const Sample& sample) { return sample.side == Side::kVendor; });
  EXPECT_THAT(format_row_line(derive(alone), {}), Not(HasSubstr("vendor")));
}

}  // namespace
}  // namespace kbench
