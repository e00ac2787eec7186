// When a device is asked whether it still works, and when it is given up; played, without hardware.
#include "runner/measure/watch/device_health.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A device that works from the n-th attempt on, and a process that dies after so many looks.
struct Play {
  int works_from = 0;
  int dies_after = 0;
  int uses = 0;
  int looks = 0;
  std::vector<milliseconds> pauses;

  HealthProbe probe() {
    HealthProbe probe;
    probe.use_device = [this]() -> Status {
      if (uses++ >= works_from) return Done{};
      return Error{ErrorCode::kInfrastructure, "cuInit failed", ""};
    };
    probe.undead = [this] { return looks++ < dies_after ? 1 : 0; };
    probe.pause = [this](milliseconds time) { pauses.push_back(time); };
    return probe;
  }
};

Evaluation ended(const char* device, State state) {
  Evaluation evaluation;
  evaluation.device = device;
  evaluation.state = state;
  return evaluation;
}

TEST(DeviceHealth, OnlyBadEndsOnAGpuAreFollowedUp) {
  EXPECT_TRUE(may_have_harmed(ended("cuda", State::kTimeout)));
  EXPECT_TRUE(may_have_harmed(ended("cuda", State::kCrash)));
  EXPECT_TRUE(may_have_harmed(ended("cuda", State::kInfrastructureError)));
  EXPECT_FALSE(may_have_harmed(ended("cuda", State::kOk)));
  EXPECT_FALSE(may_have_harmed(ended("cuda", State::kWrongResult)));
  EXPECT_FALSE(may_have_harmed(ended("cuda", State::kCompileError)));
  EXPECT_FALSE(may_have_harmed(ended("cpu", State::kTimeout)));
}

TEST(DeviceHealth, AHealthyDeviceCostsOneUse) {
  Play play;
  EXPECT_TRUE(await_device("cuda:0", play.probe()).ok());
  EXPECT_EQ(play.uses, 1);
  EXPECT_TRUE(play.pauses.empty());
}

TEST(DeviceHealth, WaitsLongerEachTime) {
  Play play{.works_from = 3};
  EXPECT_TRUE(await_device("cuda:0", play.probe()).ok());
  EXPECT_THAT(play.pauses, ElementsAre(milliseconds(1000), milliseconds(2000), milliseconds(4000)));
}

TEST(DeviceHealth, AnUndeadProcessIsWaitedForBeforeTheDeviceIsTouched) {
  Play play{.dies_after = 2};
  EXPECT_TRUE(await_device("cuda:0", play.probe()).ok());
  EXPECT_EQ(play.uses, 1);
  EXPECT_EQ(play.pauses.size(), 2u);
}

TEST(DeviceHealth, GivesUpWithWordsForTheUser) {
  Play dead{.works_from = 100};
  const Status lost = await_device("cuda:1", dead.probe());
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(lost.error().message, HasSubstr("cuda:1"));
  EXPECT_THAT(lost.error().message, HasSubstr("cuInit failed"));
  EXPECT_THAT(lost.error().hint, HasSubstr("--resume"));
  EXPECT_EQ(dead.uses, 5);

  Play haunted{.dies_after = 100};
  const Status stuck = await_device("cuda:1", haunted.probe());
  ASSERT_FALSE(stuck.ok());
  EXPECT_THAT(stuck.error().message, HasSubstr("1 killed process"));
  EXPECT_EQ(haunted.uses, 0);
}

}  // namespace
}  // namespace kbench
