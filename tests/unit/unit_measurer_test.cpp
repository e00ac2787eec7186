// Units on one device, by the oracle that makes up its numbers (tests/fakes/scripted_oracle.cpp).
#include "runner/run/unit_measurer.hpp"

#include <gmock/gmock.h>

#include "tests/unit/scripted_oracle_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class UnitMeasurerTest : public ScriptedOracleTest {
 protected:
  UnitMeasurerTest() {
    request_.checks_only = true;
    target_.device = "cpu";
    target_.size = "small";
  }
  // A measurer that holds the device and whose oracle begins.
  Status begun() {
    if (auto made = create_cache(benches_.place); !made) return made.error();
    auto profile = find_profile(request_.profile);
    if (!profile) return profile.error();
    profile_.emplace(std::move(*profile));
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    measurer_.emplace(
        MeasurerOrder{benches_.place, request_, *profile_, target_, *device_, progress_}, player_);
    if (auto taken = measurer_->take(waiting("a test")); !taken) return taken;
    return measurer_->begin_start();
  }
  void begin() {
    const Status begins = begun();
    ASSERT_TRUE(begins.ok()) << begins.error().message;
  }
  LockRequest waiting(const std::string& what) {
    return {.installation = &benches_.place, .target = &target_, .what = what, .wait = false};
  }
  // A unit of relu by anna, whose build ended so.
  UnitParts unit() {
    auto task = load_task(fs::path(kTinySuites) / "level1/019_relu.json");
    EXPECT_TRUE(task.ok()) << task.error().message;
    task_ = std::move(*task);
    return {.task = &task_,
            .submission = SubmissionId{.agent = "anna", .name = "019_relu.cpp"},
            .build = &build_,
            .finished_build = [this]() -> const SubmissionBuild& { return build_; }};
  }
  void end() {
    measurer_->begin_end(false);
    measurer_->wait_for_end();
    measurer_.reset();
  }

  Target target_;
  KeptProgress progress_;
  Task task_;
  SubmissionBuild build_;
  std::optional<JudgingProfile> profile_;
  std::optional<PythonPlayer> player_;
  std::optional<DeviceSession> device_;
  std::optional<UnitMeasurer> measurer_;  // ends before what it refers to
};

TEST_F(UnitMeasurerTest, KnowsItsDeviceOnceTheOracleHasAnswered) {
  ASSERT_NO_FATAL_FAILURE(begin());
  const Status ready = measurer_->finish_start();
  ASSERT_TRUE(ready.ok()) << ready.error().message;
  EXPECT_EQ(measurer_->hello().facts.name, "a scripted device");
  EXPECT_FALSE(measurer_->calibration()) << "nobody calibrated it";
  EXPECT_TRUE(measurer_->check_alone().ok());
  end();
}

TEST_F(UnitMeasurerTest, WithoutADeviceItDoesNotStart) {
  benches_.place.oracle = folder_ / "no_device";
  fs::copy_file(KBENCH_SCRIPTED_ORACLE, benches_.place.oracle);
  ASSERT_NO_FATAL_FAILURE(begin());
  const Status ready = measurer_->finish_start();
  ASSERT_FALSE(ready.ok());
  EXPECT_THAT(ready.error().message, HasSubstr("no device answers"));
}

TEST_F(UnitMeasurerTest, HoldsTheDeviceUntilItsEnd) {
  ASSERT_NO_FATAL_FAILURE(begin());
  ASSERT_TRUE(measurer_->finish_start().ok());
  EXPECT_FALSE(take_measuring_lock(waiting("another")).ok());
  end();
  EXPECT_TRUE(take_measuring_lock(waiting("another")).ok());
}

// The session knows by the build whose fault it was.
TEST_F(UnitMeasurerTest, AFailedBuildEndsTheRowWithItsWords) {
  build_.error = Error{ErrorCode::kSubmission, "it does not compile", "mend it"};
  ASSERT_NO_FATAL_FAILURE(begin());
  ASSERT_TRUE(measurer_->finish_start().ok());
  const Evaluation row = measurer_->measure(unit());
  EXPECT_EQ(row.task, "level1/019_relu");
  EXPECT_EQ(row.state, State::kInfrastructureError);
  EXPECT_THAT(row.message, HasSubstr("does not compile"));
  EXPECT_TRUE(measurer_->recover(row).ok());
  end();
}

// A server may keep what its agent left: no other agent has a part in it, nor has eager. No
// Python answers here: which server is started is known all the same.
TEST_F(UnitMeasurerTest, APythonSubmissionIsPlayedByAServerOfItsAgent) {
  player_.emplace();
  player_->python.python = "/bin/false";
  player_->script = player_->library = folder_ / "none/player.py";
  build_.python.emplace();
  build_.library = folder_.path();
  ASSERT_NO_FATAL_FAILURE(begin());
  ASSERT_TRUE(measurer_->finish_start().ok());
  UnitParts parts = unit();
  parts.is_python = true;
  const Evaluation row = measurer_->measure(parts);
  EXPECT_EQ(row.state, State::kInfrastructureError) << row.message;
  EXPECT_TRUE(measurer_->recover(row).ok());
  EXPECT_THAT(progress_.details, HasSubstr("started torch for the Python submissions of anna\n"));
  EXPECT_THAT(progress_.details, Not(HasSubstr("for eager")));
  end();
}

}  // namespace
}  // namespace kbench::test
