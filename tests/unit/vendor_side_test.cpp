// The side of a vendor's library in an evaluation, on the scripted device.
#include "runner/measure/vendor_side.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/speedup.hpp"
#include "tests/unit/evaluator_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

class VendorSideTest : public ScriptedEvaluation {
 protected:
  VendorSideTest() {
    request_.vendor = EvaluationRequest::Vendor{
        .start = [this](const WorkerStart& start) -> Result<std::unique_ptr<Worker>> {
          EXPECT_EQ(start.seat, Seat::kBaselines);
          return std::unique_ptr<Worker>(std::make_unique<fakes::FakeVendor>(script_));
        }};
  }

  static long vendor_samples(const Evaluation& row) {
    return std::count_if(row.samples.begin(), row.samples.end(),
                         [](const Sample& sample) { return sample.side == Side::kVendor; });
  }

  // The row is as good as one without the side.
  void expect_left_out(const std::string& reason) {
    const Evaluation row = run();
    EXPECT_EQ(row.state, State::kOk) << row.message;
    EXPECT_THAT(row.vendor_reason, HasSubstr(reason));
    EXPECT_EQ(row.vendor_algorithm, "");
    EXPECT_EQ(vendor_samples(row), 0);
    EXPECT_TRUE(speedup(row.samples, Side::kEager, Side::kSubmission, 0.01));
  }
};

TEST_F(VendorSideTest, IsTimedInEveryBlockLikeTheOthers) {
  const Evaluation row = run();
  EXPECT_EQ(row.state, State::kOk) << row.message;
  EXPECT_EQ(row.vendor_algorithm, "cuBLASLt algorithm 66");
  EXPECT_EQ(row.vendor_reason, "");
  const auto over_vendor = speedup(row.samples, Side::kVendor, Side::kSubmission, 0.01);
  ASSERT_TRUE(over_vendor);
  EXPECT_NEAR(over_vendor->estimate, 3.0, 1e-9);
  EXPECT_EQ(vendor_samples(row) * 4, static_cast<long>(row.samples.size()));
  EXPECT_TRUE(std::none_of(row.alone.begin(), row.alone.end(),
                           [](const Sample& sample) { return sample.side == Side::kVendor; }));
}

TEST_F(VendorSideTest, ACallThatTakesManyTimesAsLongAsEagerIsNoBaseline) {
  script_.vendor_ns = 11 * script_.eager_ns;
  expect_left_out("cuBLASLt algorithm 66 takes 11 times as long as eager");
  EXPECT_EQ(script_.vendor_calls, 2) << "judged once, timed once";
}

TEST_F(VendorSideTest, IsJudgedOnceAndHasTensorsOfItsOwn) {
  (void)run();
  EXPECT_EQ(script_.count("judge vendor"), 1);
  EXPECT_TRUE(script_.seats_baselines);
  for (std::size_t i = 0; i < script_.log.size(); ++i) {
    if (script_.log[i] != "vendor") continue;
    EXPECT_EQ(script_.log.at(i - 2), "baselines' arm");
    EXPECT_EQ(script_.log.at(i - 1), "baselines' reveal");
  }
}

// A submission's outputs wait for eager's in their own snapshot, whoever is called meanwhile.
TEST_F(VendorSideTest, TakesNoSnapshotInATimedVisit) {
  (void)run();
  EXPECT_EQ(script_.count("baselines' snapshot"), 1);
}

TEST_F(VendorSideTest, IsTimedWithoutASubmissionToo) {
  request_.submission.reset();
  const Evaluation row = run();
  EXPECT_EQ(row.state, State::kNoSubmission) << row.message;
  EXPECT_GT(vendor_samples(row), 0);
  EXPECT_NEAR(speedup(row.samples, Side::kEager, Side::kVendor, 0.01)->estimate, 4.0 / 3, 1e-9);
}

TEST_F(VendorSideTest, HasAReasonWhereTheTaskHasNoPlan) {
  request_.vendor->reason = "softmax is no epilogue of cuBLASLt";
  expect_left_out("softmax is no epilogue of cuBLASLt");
  EXPECT_EQ(script_.count("vendor"), 0);
  EXPECT_FALSE(script_.seats_baselines);
}

TEST_F(VendorSideTest, IsLeftOutWhereTheLibraryDoesNotLoad) {
  script_.vendor_load_failure = EarlyEnd{State::kLoadError, "the library does not load", ""};
  script_.vendor_printed = "";
  expect_left_out("the library does not load");
}

TEST_F(VendorSideTest, IsLeftOutWithWhatTheLibrarySays) {
  script_.vendor_fails_at = 0;
  script_.vendor_printed = "noise\nvendor failure: cuDNN has no engine for this graph\n";
  expect_left_out("cuDNN has no engine for this graph");
  EXPECT_EQ(script_.count("judge vendor"), 0);
}

TEST_F(VendorSideTest, IsLeftOutWhereItFailsBetweenBlocks) {
  script_.vendor_fails_at = 20;
  expect_left_out("it returned 1");
  EXPECT_EQ(script_.count("vendor"), 21);
}

TEST_F(VendorSideTest, IsLeftOutWhereItsResultIsWrong) {
  script_.vendor_error = 1;
  expect_left_out("its result is wrong");
}

TEST_F(VendorSideTest, IsLeftOutWhereTheDeviceHasNoMemoryForItsTensors) {
  script_.second_seat_does_not_fit = true;
  expect_left_out("no memory");
}

TEST_F(VendorSideTest, IsNotAskedForInOtherRuns) {
  request_.vendor.reset();
  const Evaluation row = run();
  EXPECT_FALSE(row.asked_for_vendor());
  EXPECT_FALSE(script_.seats_baselines);
}

TEST_F(VendorSideTest, HasAReasonWhereTheEvaluationEndsBefore) {
  script_.load_error = Error{ErrorCode::kDoesNotFit, "the task does not fit", ""};
  const Evaluation row = run();
  EXPECT_EQ(row.state, State::kDoesNotFit);
  EXPECT_EQ(row.vendor_reason, "the task does not fit");
}

}  // namespace
}  // namespace kbench
