// The calls of a profile, on a scripted device.
#include "runner/measure/profiled_calls.hpp"

#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_device.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

class ProfiledCallsTest : public ::testing::Test {
 protected:
  ProfiledCallsTest() {
    task_.id = "level1/019_relu";
    task_.sizes.push_back({.name = "small"});
    request_.task = &task_;
    request_.size = &task_.sizes.front();
    request_.device = "cuda";
    request_.precision = "fp32";
    request_.seed = "a fixed seed";
    request_.submission = SubmissionId{};
    request_.library = [] { return Result<std::filesystem::path>("a library"); };
  }

  Result<RecordedActivity> record(Side side, const std::filesystem::path& cupti = "libcupti") {
    fakes::FakeOracle oracle(script_);
    const WorkerFactory start = [&](const WorkerStart& given) -> Result<std::unique_ptr<Worker>> {
      given_cupti_ = given.cupti;
      given_activity_ = given.activity;
      if (writes_) writes_(given.activity);
      return std::unique_ptr<Worker>(std::make_unique<fakes::FakeWorker>(script_));
    };
    auto recorded = record_calls(request_, settings_, side, cupti, oracle, start);
    if (!recorded) return recorded.error();
    waited_share_ = recorded->waited_share;
    return std::move(recorded->activity);
  }

  fakes::Script script_;
  Task task_;
  EvaluationRequest request_;
  EvaluationSettings settings_;
  double waited_share_ = -1;
  std::filesystem::path given_cupti_;
  int given_activity_ = -1;
  std::function<void(int)> writes_;
};

TEST_F(ProfiledCallsTest, OfABaselineTenCallsAfterThreeOnFreshInputs) {
  script_.activities = {test::kernel("relu", 1, 5)};
  const auto got = record(Side::kEager);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(script_.count("record"), kCountedCall + 1);
  ASSERT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_EQ(got->calls[0].activities.at(0).name, "relu");
  EXPECT_EQ(got->problem, "");
  const std::set<std::uint64_t> keys(script_.input_keys.begin(), script_.input_keys.end());
  EXPECT_EQ(keys.size(), script_.input_keys.size()) << "no input twice";
}

TEST_F(ProfiledCallsTest, WithoutCuptiTheCallsAreThereAndALineSaysWhatIsNot) {
  const auto got = record(Side::kEager, "");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(script_.count("record"), 0);
  ASSERT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_EQ(got->calls[0].claimed_ns, 4'000'000);
  EXPECT_EQ(got->problem, "CUPTI was not found");
}

TEST_F(ProfiledCallsTest, ThatProgramsWaitedForACoreIsKept) {
  std::int64_t now = 0;
  std::int64_t waited = 0;
  settings_.surroundings.now_ns = [&] { return now += 1000; };
  settings_.surroundings.pressure = [&] { return Pressure{.cpu_ns = waited += 600}; };
  request_.device = "cpu";
  ASSERT_TRUE(record(Side::kEager));
  EXPECT_DOUBLE_EQ(waited_share_, 0.6);
  ASSERT_TRUE(record(Side::kSubmission));
  EXPECT_DOUBLE_EQ(waited_share_, 0.6);
}

TEST_F(ProfiledCallsTest, OnACpuTheSame) {
  request_.device = "cpu";
  const auto got = record(Side::kSubmission);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(given_activity_, -1);
  EXPECT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_THAT(got->problem, HasSubstr("this is a CPU"));
}

TEST_F(ProfiledCallsTest, TheWorkerOfASubmissionGetsCuptiAndAFile) {
  writes_ = [](int file) {
    auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
    ASSERT_TRUE(writer);
    for (int i = 0; i < kCallsBeforeAProfile + kProfiledCalls; ++i)
      writer->add({1000 + i, 0, {test::kernel("mine", 1, 2)}});
    CounterRow row;
    row.fill(std::numeric_limits<double>::quiet_NaN());
    row[0] = 4096;
    writer->set_counters({row});
  };
  script_.has_prepare = true;
  const auto got = record(Side::kSubmission);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(given_cupti_, "libcupti");
  EXPECT_EQ(script_.count("prepare"), 1);
  EXPECT_EQ(script_.count("submission"), kCountedCall + 1);
  ASSERT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_EQ(got->calls[0].claimed_ns, 1003);
  EXPECT_EQ(got->counters, std::vector<KernelCounters>({{{kCounters[0].name, 4096}}}));
  EXPECT_EQ(script_.judged, 0) << "a profile is no verdict";
}

// The vendor's worker has tensors of its own, as in an evaluation.
TEST_F(ProfiledCallsTest, OfAVendorsLibraryByAWorkerOfItsOwn) {
  request_.vendor = EvaluationRequest::Vendor{
      .start = [&](const WorkerStart& given) -> Result<std::unique_ptr<Worker>> {
        EXPECT_EQ(given.seat, Seat::kBaselines);
        EXPECT_EQ(given.cupti, "libcupti");
        EXPECT_GE(given.activity, 0);
        return std::unique_ptr<Worker>(std::make_unique<fakes::FakeVendor>(script_));
      }};
  const auto got = record(Side::kVendor);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_TRUE(script_.seats_baselines);
  EXPECT_EQ(script_.count("vendor"), kCountedCall + 1);
  EXPECT_EQ(script_.count("submission"), 0);
}

TEST_F(ProfiledCallsTest, WithoutACallOfALibraryTheReasonIsTold) {
  EXPECT_EQ(record(Side::kVendor).error().code, ErrorCode::kNotFound);
  request_.vendor = EvaluationRequest::Vendor{.reason = "softmax is no epilogue", .start = {}};
  const auto got = record(Side::kVendor);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(got.error().message, HasSubstr("softmax is no epilogue"));
}

TEST_F(ProfiledCallsTest, ALibraryThatFailsIsToldInItsOwnWords) {
  request_.vendor = EvaluationRequest::Vendor{
      .start = [&](const WorkerStart&) -> Result<std::unique_ptr<Worker>> {
        return std::unique_ptr<Worker>(std::make_unique<fakes::FakeVendor>(script_));
      }};
  script_.vendor_fails_at = 0;
  script_.vendor_printed = "vendor failure: cuDNN has no engine for this graph\n";
  const auto got = record(Side::kVendor);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(got.error().message, HasSubstr("cuDNN has no engine"));
}

TEST_F(ProfiledCallsTest, ForgedRecordsCostTheProfileAndAreTheSubmissions) {
  writes_ = [](int file) {
    auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
    ASSERT_TRUE(writer);
    writer->add({1000, 0, {test::kernel("k", 5, 1)}});
  };
  const auto got = record(Side::kSubmission);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kSubmission);
  EXPECT_THAT(got.error().message, HasSubstr("cannot be"));
}

void write_counter(int file, double value) {
  auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
  ASSERT_TRUE(writer);
  CounterRow row{};
  row[1] = value;
  writer->set_counters({row});
}

TEST_F(ProfiledCallsTest, ForgedCountersToo) {
  writes_ = [](int file) { write_counter(file, 1e19); };
  const auto got = record(Side::kSubmission);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("a counter that no device has"));
}

// CUPTI divides what it read in different passes: eager's profile of a ConvTranspose3d ended so on
// an H200.
TEST_F(ProfiledCallsTest, ACounterThatCouldNotBeComputedIsNotKnown) {
  for (const double value : {-1.0, HUGE_VAL}) {
    writes_ = [value](int file) { write_counter(file, value); };
    const auto got = record(Side::kSubmission);
    ASSERT_TRUE(got) << value << got.error().message;
    EXPECT_FALSE(got->counters.at(0).contains(kCounters[1].name));
    EXPECT_TRUE(got->counters.at(0).contains(kCounters[0].name));
  }
}

TEST_F(ProfiledCallsTest, ACrashInTheCountedCallCostsTheCountersOnly) {
  script_.call_failure = {{kCountedCall, EarlyEnd{State::kTimeout, "it did not end", ""}}};
  const auto got = record(Side::kSubmission);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  EXPECT_THAT(got->counter_problem, HasSubstr("it did not end"));
}

TEST_F(ProfiledCallsTest, ACrashInAProfiledCallIsTheSubmissionsWithItsLastWords) {
  script_.call_failure = {{5, EarlyEnd{State::kCrash, "the submission crashed in a call", ""}}};
  script_.printed = "about to fall";
  const auto got = record(Side::kSubmission);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kSubmission);
  EXPECT_THAT(got.error().message, HasSubstr("about to fall"));
}

TEST_F(ProfiledCallsTest, AnEndlessKernelIsATimeoutOfTheSubmission) {
  script_.call_failure = {{0, EarlyEnd{State::kTimeout, "a call did not end within 20 s", ""}}};
  EXPECT_EQ(record(Side::kSubmission).error().code, ErrorCode::kSubmission);
}

TEST_F(ProfiledCallsTest, ACallHasTheTimeThatIsAskedFor) {
  using std::chrono::milliseconds;
  request_.device = "cpu";
  for (const milliseconds limit : {milliseconds{20'000}, milliseconds{1'500}}) {
    if (limit == milliseconds{1'500}) settings_.call_limit = limit;
    script_.patience.clear();
    ASSERT_TRUE(record(Side::kSubmission));
    EXPECT_THAT(script_.patience,
                testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(limit)));
  }
}

TEST_F(ProfiledCallsTest, TenMillionActivitiesCostTheirOwnPlacesOnly) {
  writes_ = [](int file) {
    auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
    ASSERT_TRUE(writer);
    const std::vector<Activity> many(1'000'000, test::kernel("k", 1, 2));
    for (int call = 0; call < 10; ++call) writer->add({1000, 0, many});
  };
  const auto got = record(Side::kSubmission);
  ASSERT_TRUE(got) << got.error().message;
  std::size_t kept = 0;
  for (const ProfiledCall& call : got->calls) kept += call.activities.size();
  EXPECT_LE(kept, kMostActivities);
  EXPECT_GE(got->dropped, 10'000'000 - kMostActivities);
}

// Forged records, a crash, an endless kernel: each costs one profile, and the next is made.
TEST_F(ProfiledCallsTest, AHostileSubmissionCostsItsOwnProfileAlone) {
  const auto forge = [](int file) {
    auto writer = ActivityWriter::open(UniqueFd(::dup(file)));
    ASSERT_TRUE(writer);
    writer->add({-1, 0, {test::kernel("k", 5, 1)}});
  };
  const std::pair crash{5, EarlyEnd{State::kCrash, "it crashed in a call", ""}};
  const std::pair endless{0, EarlyEnd{State::kTimeout, "it did not end", ""}};
  for (const auto& failure :
       std::vector<std::optional<std::pair<int, EarlyEnd>>>{std::nullopt, crash, endless}) {
    script_.forward_calls = 0;
    script_.call_failure = failure;
    if (!failure) writes_ = forge;
    EXPECT_EQ(record(Side::kSubmission).error().code, ErrorCode::kSubmission);
    script_.call_failure.reset();
    writes_ = nullptr;
    const auto next = record(Side::kSubmission);
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->calls.size(), static_cast<std::size_t>(kProfiledCalls));
  }
}

TEST_F(ProfiledCallsTest, WhatIsOursIsNotTheSubmissions) {
  script_.call_failure = {{0, EarlyEnd{State::kInfrastructureError, "the device is lost", ""}}};
  EXPECT_EQ(record(Side::kSubmission).error().code, ErrorCode::kInfrastructure);
}

TEST_F(ProfiledCallsTest, WithoutAPackageThereIsNoCompiledSide) {
  request_.package_reason = "this torch has no compiler";
  const auto got = record(Side::kCompiled);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(got.error().message, HasSubstr("this torch has no compiler"));
}

}  // namespace
}  // namespace kbench
