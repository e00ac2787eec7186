#include "runner/activity/activity_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

Activity recorded_kernel(const std::string& name, std::int64_t start, std::int64_t end) {
  Activity made;
  made.name = name;
  made.start_ns = start;
  made.end_ns = end;
  made.stream = 7;
  made.grid = {12, 3, 1};
  made.block = {128, 2, 1};
  made.registers = 40;
  made.dynamic_shared_bytes = 4096;
  return made;
}

Activity recorded_copy(std::int64_t start, std::int64_t end) {
  Activity made;
  made.kind = ActivityKind::kCopy;
  made.start_ns = start;
  made.end_ns = end;
  made.bytes = 1000;
  return made;
}

class ActivityFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = make_activity_file();
    ASSERT_TRUE(made) << made.error().message;
    file_ = std::move(*made);
  }

  ActivityWriter writer() { return std::move(*ActivityWriter::open(UniqueFd(::dup(file_.get())))); }
  Result<RecordedActivity> read() { return read_activity_file(file_.get()); }
  std::string refusal() {
    const auto got = read();
    return got ? "" : got.error().message;
  }
  // The reason for which one kernel is refused.
  std::string refusal_of(const Activity& activity) {
    writer().add({10, 5, {activity}});
    return refusal();
  }

  UniqueFd file_;
};

TEST_F(ActivityFileTest, BringsCallsAsTheyWereWritten) {
  auto out = writer();
  out.add({1000, 40, {recorded_kernel("relu(float*)", 100, 400), recorded_copy(450, 500)}});
  out.add({900, 30, {}});
  out.add_dropped(3);
  const auto got = read();
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->calls.size(), 2u);
  EXPECT_EQ(got->dropped, 3u);
  EXPECT_EQ(got->problem, "");
  EXPECT_EQ(got->calls[1].claimed_ns, 900);
  const auto& activities = got->calls[0].activities;
  ASSERT_EQ(activities.size(), 2u);
  EXPECT_EQ(Json(activities[0]), Json(recorded_kernel("relu(float*)", 100, 400)));
  EXPECT_EQ(activities[1].kind, ActivityKind::kCopy);
  EXPECT_EQ(activities[1].bytes, 1000u);
}

TEST_F(ActivityFileTest, ActivitiesComeInTheOrderInWhichTheyStarted) {
  writer().add({10, 0, {recorded_kernel("b", 300, 400), recorded_kernel("a", 100, 200)}});
  EXPECT_EQ(read()->calls[0].activities[0].name, "a");
}

TEST_F(ActivityFileTest, AnUntouchedOneSaysThatNothingWasRecorded) {
  EXPECT_EQ(read()->problem, "nothing was recorded");
  EXPECT_TRUE(read()->calls.empty());
}

TEST_F(ActivityFileTest, TenMillionActivitiesAreCountedAndNotKept) {
  auto out = writer();
  const std::vector<Activity> many(100'000, recorded_kernel("k", 1, 2));
  for (int call = 0; call < 100; ++call) out.add({10, 0, many});
  const auto got = read();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->calls.size(), kMostProfiledCalls);
  std::uint64_t kept = 0;
  for (const ProfiledCall& call : got->calls) kept += call.activities.size();
  EXPECT_EQ(kept, kMostActivities);
  EXPECT_EQ(kept + got->dropped, 10'000'000u);
}

TEST_F(ActivityFileTest, NamesAreShortAndSafeToShow) {
  writer().add({10,
                0,
                {recorded_kernel("a\x1b[31m\n<script>", 1, 2),
                 recorded_kernel(std::string(5000, 'x'), 3, 4)}});
  const auto got = read();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->calls[0].activities[0].name, "a?[31m?<script>");
  EXPECT_EQ(got->calls[0].activities[1].name.size(), kLongestActivityName);
}

TEST_F(ActivityFileTest, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal_of(recorded_kernel("k", 5, 4)), HasSubstr("ends before it starts"));
}

TEST_F(ActivityFileTest, AnActivityOfAYearIsRefused) {
  EXPECT_THAT(refusal_of(recorded_kernel("k", 0, std::int64_t{365} * 86400 * 1'000'000'000)),
              HasSubstr("ends before"));
}

TEST_F(ActivityFileTest, ABlockOfTooManyThreadsIsRefused) {
  Activity forged = recorded_kernel("k", 1, 2);
  forged.block = {1024, 1024, 64};
  EXPECT_THAT(refusal_of(forged), HasSubstr("a block"));
}

TEST_F(ActivityFileTest, AGridOfNothingIsRefused) {
  Activity forged = recorded_kernel("k", 1, 2);
  forged.grid = {0, 1, 1};
  EXPECT_THAT(refusal_of(forged), HasSubstr("a grid"));
}

TEST_F(ActivityFileTest, ImpossibleResourcesAreRefused) {
  Activity forged = recorded_kernel("k", 1, 2);
  forged.registers = 256;
  EXPECT_THAT(refusal_of(forged), HasSubstr("255 registers"));
}

TEST_F(ActivityFileTest, ACallOfNegativeLengthIsRefused) {
  writer().add({-5, 0, {recorded_kernel("k", 1, 2)}});
  EXPECT_THAT(refusal(), HasSubstr("no length"));
}

// A process that holds the file writes there what it likes.
TEST_F(ActivityFileTest, AFileOfNoiseIsRefusedAndCannotBeCutShort) {
  writer().add({10, 0, {recorded_kernel("k", 1, 2)}});
  EXPECT_NE(::ftruncate(file_.get(), 10), 0);
  EXPECT_NE(::ftruncate(file_.get(), 1 << 30), 0);
  const std::vector<unsigned char> noise(4096, 0xEE);
  ASSERT_EQ(::pwrite(file_.get(), noise.data(), noise.size(), 4), 4096);
  EXPECT_THAT(refusal(), HasSubstr("cannot be"));
}

}  // namespace
}  // namespace kbench
