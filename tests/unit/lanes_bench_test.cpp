// The coordinator's side of a run with lanes; no lane is started.
#include "runner/run/lanes_bench.hpp"

#include <gmock/gmock.h>

#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;
using ::testing::NotNull;

// More GPUs than any machine has cores for.
constexpr std::size_t kManyGpus = 10'000;

class LanesBenchAloneTest : public RunTest {
 protected:
  LanesBenchAloneTest() {
    benches_.place.abi = kAbi;
    benches_.place.cache = folder_ / "cache";
    request_.tasks = {"019_relu"};
    submit("anna/level1/019_relu.cpp");
    auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    if (plan) plan_ = std::move(*plan);
    plan_.devices.resize(1);  // without a name: the CPU has a lane
  }
  Result<std::unique_ptr<RunBench>> made() {
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    return make_lanes_bench({request_, terms_, plan_, progress_}, benches_.place, std::nullopt,
                            *device_, device_->toolchain());
  }

  Plan plan_;
  KeptProgress progress_;
  std::optional<DeviceSession> device_;
};

TEST_F(LanesBenchAloneTest, TheCoordinatorMeasuresNothingItself) {
  const auto bench = made();
  ASSERT_TRUE(bench.ok()) << bench.error().message;
  EXPECT_THAT((*bench)->lanes(), NotNull());
  const Evaluation row = (*bench)->measure(0);
  EXPECT_EQ(row.state, State::kInfrastructureError);
  EXPECT_THAT(row.message, HasSubstr("lanes measure"));
  EXPECT_EQ((*bench)->profile(0, Side::kEager).error().code, ErrorCode::kUsage);
  EXPECT_TRUE((*bench)->recover(row).ok()) << "lanes look after their devices";
  EXPECT_TRUE((*bench)->check_alone().ok());
}

TEST_F(LanesBenchAloneTest, ACalibrationOfMoreDevicesThanThereAreCoresIsRefused) {
  plan_.target.device = "cuda";
  plan_.devices.resize(kManyGpus);
  terms_.on_each_device = true;
  const auto bench = made();
  ASSERT_FALSE(bench.ok());
  EXPECT_EQ(bench.error().code, ErrorCode::kUsage);
  EXPECT_THAT(bench.error().message, HasSubstr("10000 devices, and cores for "));
}

}  // namespace
}  // namespace kbench::test
